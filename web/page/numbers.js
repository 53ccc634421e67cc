// Frame time and the times of the passes.

const EVERY = 500; // ms between updates
const KEPT = 60; // frames that the median is of
const FEWEST = 5; // frames without which there is no median

const element = (id) => document.getElementById(id);

function milliseconds(value) {
  if (!Number.isFinite(value)) return "–";
  return value < 1000 ? `${value.toFixed(value < 10 ? 2 : 1)} ms` : `${(value / 1000).toFixed(1)} s`;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function short(count) {
  if (!Number.isFinite(count)) return "–";
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  return count >= 1e4 ? `${(count / 1e3).toFixed(0)} k` : `${count}`;
}

// Collects the intervals between frames, and shows their median beside what the viewer says.
export class Numbers {
  #intervals = [];
  #shownAt = 0;

  // Forgets the frames before, which were of another scene.
  reset() {
    this.#intervals = [];
  }

  // Counts a frame, `interval` ms after the one before.
  count(interval) {
    this.#intervals.push(interval);
    if (this.#intervals.length > KEPT) this.#intervals.shift();
  }

  // Shows the numbers of recent frames, a few times a second.
  show(viewer, now) {
    if (now - this.#shownAt < EVERY) return;
    this.#shownAt = now;
    const { cpuMs, gpuMs = {}, triangles } = JSON.parse(viewer.numbers());
    const passes = Object.entries(gpuMs);
    const running = this.#intervals.length >= FEWEST;
    element("frame-ms").textContent = running ? milliseconds(median(this.#intervals)) : "–";
    element("cpu-ms").textContent = milliseconds(cpuMs);
    element("gpu-ms").textContent = passes.length ? milliseconds(passes.reduce((sum, [, ms]) => sum + ms, 0)) : "–";
    element("triangles").textContent = short(triangles);
    element("passes").hidden = !passes.length;
    element("pass-rows").replaceChildren(...passes.map(([name, ms]) => {
      const row = document.createElement("tr");
      for (const text of [name.replaceAll("_", " "), milliseconds(ms)]) {
        row.append(Object.assign(document.createElement("td"), { textContent: text }));
      }
      return row;
    }));
  }
}
