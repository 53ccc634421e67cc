// The state of the page in its link: `#scene=army&count=10000`. Whatever is not in it has its default.

export const TECHNIQUES = ["matrix", "preskinned", "vertex", "live"];
export const RASTERS = ["hardware", "compute"];
export const MOST_PEOPLE = 10_000_000;
export const START_TIME = 4;
const LONGEST = 31_536_000;

// Number in a range, or `otherwise` for anything else.
export function numberWithin(text, least, most, otherwise) {
  const number = Number.parseFloat(text);
  return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : otherwise;
}

// State that a link asks for, and what it asked for in vain. `peopleOf` gives a scene's own number of people.
export function read(hash, scenes, peopleOf) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const refused = [];
  const oneOf = (name, known) => {
    const wanted = given.get(name);
    if (wanted === null || known.includes(wanted)) return wanted ?? known[0];
    refused.push(`There is no ${name} “${wanted}”; there are ${known.join(", ")}.`);
    return known[0];
  };
  const scene = oneOf("scene", scenes);
  const time = numberWithin(given.get("time"), 0, LONGEST, null);
  const from = (given.get("from") ?? "").split(",").map(Number);
  return {
    state: {
      scene,
      count: Math.round(numberWithin(given.get("count"), 1, MOST_PEOPLE, peopleOf(scene))),
      technique: oneOf("technique", TECHNIQUES),
      raster: oneOf("raster", RASTERS),
      detail: oneOf("detail", ["auto", "full"]),
      // A link to a moment shows that moment.
      paused: given.has("time") && time !== null && given.get("paused") !== "0",
      time,
      from: from.length === 6 && from.every(Number.isFinite) ? from : [],
    },
    refused,
  };
}

// Link of a state: only what differs from the defaults.
export function write(state, peopleOf) {
  const parts = [`scene=${encodeURIComponent(state.scene)}`];
  if (state.count !== peopleOf(state.scene)) parts.push(`count=${state.count}`);
  if (state.technique !== TECHNIQUES[0]) parts.push(`technique=${state.technique}`);
  if (state.raster !== RASTERS[0]) parts.push(`raster=${state.raster}`);
  if (state.detail !== "auto") parts.push(`detail=${state.detail}`);
  if (state.paused) parts.push(`time=${state.time.toFixed(1)}`);
  if (state.from.length) parts.push(`from=${state.from.map((number) => Number(number.toFixed(3))).join(",")}`);
  return `#${parts.join("&")}`;
}
