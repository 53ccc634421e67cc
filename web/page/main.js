// The page: state, controls, and the loop that draws.

import init, { Viewer, caption_of, people_of, scenes } from "./throng_web.js";
import { connect } from "./camera.js";
import { load } from "./crowd.js";
import * as failure from "./failure.js";
import { convert, isFbx } from "./fbx.js";
import { MOST_PEOPLE, START_TIME, numberWithin, read, write } from "./link.js";
import { Numbers } from "./numbers.js";

const LONGEST_STEP = 100; // ms that time goes on by at most between two frames
const SHARPEST = 2; // pixels per CSS pixel: more costs much and shows little
const LINK_EVERY = 400; // ms between changes of the link
const SOFT_COUNT = 10_000; // people of an own character without levels of detail

const element = (id) => document.getElementById(id);
const canvas = element("crowd");
const numbers = new Numbers();
const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;

const adapterOf = (gpu) => gpu?.requestAdapter?.().catch(() => null);
// The first start takes it. Asked for while the program loads, since the browser starts its GPU process then.
let firstAdapter = adapterOf(navigator.gpu);

let viewer = null;
let state = null; // what the link says
let time = START_TIME; // s
let dirty = true; // something changed while paused
let moving = false; // the camera is on its way
let own = null; // the visitor's character: its name, bytes, and notes of its conversion
let beside = null; // the scene that lies beside the page, if there is one

// Names of the scenes, that beside the page first; it takes the place of one of its name.
const names = () => (beside ? [beside.name, ...scenes().filter((name) => name !== beside.name)] : scenes());
const isBeside = (name) => beside !== null && name === beside.name;
const peopleOf = (name) => (isBeside(name) ? beside.people : people_of(name));
const captionOf = (name) => (isBeside(name) ? beside.caption : caption_of(name));

// Says what the page is doing, and lets the browser paint it.
async function busy(text) {
  element("busy").textContent = text;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

function notice(text) {
  element("notice-text").textContent = text;
  element("notice").hidden = !text;
}

// Opens the GPU and shows the state; also after the device was lost.
async function start() {
  failure.hide();
  notice("");
  await busy("Opening the GPU…");
  const adapter = await (firstAdapter ?? adapterOf(navigator.gpu));
  firstAdapter = null;
  if (!adapter) return failure.missing(navigator.gpu ? "no adapter" : "navigator.gpu is missing");
  try {
    viewer = await Viewer.open(canvas);
  } catch (error) {
    return failure.missing(text(error));
  }
  if (beside) viewer.offer(beside);
  if (own) viewer.cast(own.name, own.bytes, own.notes);
  const { vendor, architecture, description, isFallbackAdapter } = adapter.info;
  const name = description || [vendor, architecture].filter(Boolean).join(" ") || "unnamed GPU";
  const slow = isFallbackAdapter || /swiftshader|llvmpipe/i.test(name) ? ["drawn by the CPU, which is slow"] : [];
  const lacks = viewer.lacks().split("\n").filter(Boolean).map((one) => `without ${one}`);
  list(element("adapter"), [name, ...slow, ...lacks]);
  await show(state);
}

// Shows a state; what cannot be shown says so, and the state before stays.
async function show(wanted) {
  if (!viewer) return;
  const before = state;
  const begun = performance.now();
  await busy(`Placing ${wanted.count.toLocaleString("en")} people…`);
  try {
    viewer.show(wanted.scene, wanted.count, wanted.technique, wanted.raster);
    state = wanted;
  } catch (error) {
    if (stopped(error)) return;
    notice(text(error));
    state = { ...before, from: wanted.from };
  }
  if (state.from.length) viewer.goTo(new Float32Array(state.from));
  performance.measure("throng: show", { start: begun });
  element("busy").textContent = "";
  numbers.reset();
  fill();
  dirty = true;
}

function list(parent, lines) {
  parent.replaceChildren(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
}

const text = (error) => String(error?.message ?? error);

// True for an error that ends the viewer: a panic of the program, or a lost device.
function stopped(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    viewer = null;
    failure.broken(text(error), () => location.reload());
    return true;
  }
  if (!viewer?.lost()) return false;
  close();
  failure.lost((event) => {
    keepFocus(event);
    start();
  });
  return true;
}

// Gives the focus of a button that is gone to the picture, if a key pressed it: a mouse leaves no ring there.
function keepFocus(event) {
  if (event.detail === 0) canvas.focus();
}

function close() {
  try {
    viewer.free();
  } catch {
    // It panicked: its memory goes with the page.
  }
  viewer = null;
}

// Controls as the state has them.
function fill() {
  element("scene").value = state.scene;
  element("count").value = state.count;
  element("technique").value = state.technique;
  element("raster").value = state.raster;
  element("detail").value = state.detail;
  element("caption").textContent = captionOf(state.scene);
  element("pause").classList.toggle("wanted", state.paused);
  element("pause").textContent = state.paused ? "Play" : "Pause";
  element("uncast").hidden = !own;
  const notes = viewer?.notes().split("\n").filter(Boolean) ?? [];
  element("notes").hidden = !notes.length;
  list(element("note-list"), notes);
  fillTime();
  remember();
}

function fillTime() {
  const slider = element("time");
  if (time > slider.max) slider.max = Math.ceil(time / 120) * 120;
  slider.value = time;
  element("time-text").value = `${time.toFixed(1)} s`;
}

let linkTimer = 0;

// Puts the state into the link, a moment later: browsers refuse many changes a second.
function remember() {
  linkTimer ||= setTimeout(() => {
    linkTimer = 0;
    state.from = viewer ? [...viewer.place()] : state.from;
    history.replaceState(null, "", write({ ...state, time }, peopleOf));
  }, LINK_EVERY);
}

let queue = Promise.resolve();

// Changes a part of the state, after the changes before: `part`, or what it returns for the state by then.
function change(part) {
  queue = queue.then(() => {
    notice("");
    const changed = typeof part === "function" ? part() : part;
    return show({ ...state, from: viewer ? [...viewer.place()] : state.from, ...changed });
  }).catch((error) => notice(text(error)));
  return queue;
}

// State of the page's link. Without a moment in it, people who want less motion begin with a still picture.
function fromLink() {
  const { state: wanted, refused } = read(location.hash, names(), peopleOf);
  wanted.paused ||= quiet;
  time = wanted.time ?? time;
  return [wanted, refused.join(" ")];
}

function pause(paused = !state.paused) {
  state.paused = paused;
  fill();
}

// The visitor's file as the viewer reads it.
async function readable(name, bytes) {
  if (!isFbx(name, bytes)) return { name, bytes, notes: [] };
  const { glb, notes } = await convert(name, bytes, busy);
  return { name, bytes: glb, notes };
}

let files = 0; // chosen so far

async function openFile(file) {
  if (!file || !viewer) return;
  const mine = ++files;
  notice("");
  let wanted;
  let most;
  try {
    await busy(`Reading ${file.name}…`);
    wanted = await readable(file.name, new Uint8Array(await file.arrayBuffer()));
    // Another was chosen, or the device was lost, meanwhile.
    if (mine !== files || !viewer) return;
    await busy(`Opening ${file.name}…`);
    most = viewer.cast(wanted.name, wanted.bytes, wanted.notes);
  } catch (error) {
    if (mine !== files) return;
    element("busy").textContent = "";
    if (!stopped(error)) notice(text(error));
    return;
  }
  own = wanted;
  const before = state.count;
  const count = most === undefined ? before : Math.max(Math.min(before, most, SOFT_COUNT), 1);
  await change({ count });
  if (count < before) notice(`${file.name} has no levels of detail: ${count.toLocaleString("en")} people to begin with.`);
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else element("stage").requestFullscreen?.()?.catch((error) => notice(text(error)));
}

function home() {
  viewer?.home();
  dirty = true;
  remember();
}

function bind() {
  element("scene").append(...names().map((name) => new Option(name.charAt(0).toUpperCase() + name.slice(1), name)));
  element("scene").onchange = ({ target }) => change({ scene: target.value, count: peopleOf(target.value), from: [] });
  const count = (people) => ({ count: Math.round(numberWithin(people, 1, MOST_PEOPLE, state.count)) });
  element("count").onchange = ({ target }) => change(count(target.value));
  element("fewer").onclick = () => change(() => count(state.count / 2));
  element("more-people").onclick = () => change(() => count(state.count * 2));
  element("technique").onchange = ({ target }) => change({ technique: target.value });
  element("raster").onchange = ({ target }) => change({ raster: target.value });
  element("detail").onchange = ({ target }) => {
    state.detail = target.value;
    dirty = true;
    remember();
  };
  element("time").oninput = ({ target }) => {
    time = Number(target.value);
    dirty = true;
    fillTime();
    remember();
  };
  element("pause").onclick = () => pause();
  element("home").onclick = home;
  element("full").onclick = fullScreen;
  element("full").hidden = !document.fullscreenEnabled;
  element("copy").onclick = async () => {
    history.replaceState(null, "", write({ ...state, from: viewer ? [...viewer.place()] : [], time }, peopleOf));
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error("no clipboard"));
    await copied.then(() => (element("copy").textContent = "Copied"), () => notice(`Copy this: ${location.href}`));
    setTimeout(() => (element("copy").textContent = "Copy link"), 2000);
  };
  element("file").onchange = ({ target }) => {
    openFile(target.files[0]);
    target.value = "";
  };
  element("uncast").onclick = () => {
    own = null;
    viewer?.uncast();
    change({});
  };
  element("more").onclick = ({ target }) => {
    const open = element("panel").classList.toggle("open");
    target.setAttribute("aria-expanded", open);
  };
  element("panel").onsubmit = (event) => event.preventDefault();
  element("notice-close").onclick = (event) => {
    notice("");
    keepFocus(event);
  };
  window.addEventListener("hashchange", () => {
    const [wanted, refused] = fromLink();
    change(() => {
      viewer?.home();
      return wanted;
    }).then(() => refused && notice(refused));
  });
  bindDrop();
}

function bindDrop() {
  let depth = 0;
  const over = (change) => {
    depth = Math.max(depth + change, 0);
    element("drop").hidden = depth === 0;
  };
  window.addEventListener("dragenter", () => over(1));
  window.addEventListener("dragleave", () => over(-1));
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    over(-depth);
    openFile(event.dataTransfer?.files[0]);
  });
}

// Draws as often as the display shows, and not at all while nothing changes.
function loop(fly) {
  let before = performance.now();
  const frame = (now) => {
    requestAnimationFrame(frame);
    const interval = now - before;
    before = now;
    if (!viewer) return;
    if (!element("busy").textContent) numbers.show(viewer, now);
    const dt = Math.min(Math.max(interval, 0), LONGEST_STEP) / 1000;
    moving = fly(dt) || moving;
    if (viewer.lost()) return stopped(null);
    if (element("busy").textContent || (state.paused && !dirty && !moving)) return;
    if (!state.paused) time += dt;
    dirty = false;
    const scale = Math.min(devicePixelRatio, SHARPEST);
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    const moved = moving;
    try {
      moving = viewer.draw(time, dt, state.detail === "full", width, height);
    } catch (error) {
      if (!stopped(error)) notice(text(error));
      return;
    }
    if (moved && !moving) remember();
    numbers.count(interval);
    if (!state.paused) fillTime();
  };
  requestAnimationFrame(frame);
}

async function main() {
  try {
    await busy("Loading…");
    await init();
  } catch (error) {
    return failure.broken(text(error), () => location.reload());
  }
  let failed = "";
  try {
    beside = await load(busy);
  } catch (error) {
    if (stopped(error)) return;
    failed = text(error);
  }
  bind();
  const [wanted, refused] = fromLink();
  state = wanted;
  const moved = () => {
    dirty = true;
    remember();
  };
  const acts = { pause: () => pause(), home, full: fullScreen };
  loop(connect(canvas, () => viewer, moved, (name) => acts[name]()));
  new ResizeObserver(() => (dirty = true)).observe(canvas);
  await start();
  const problems = [failed, refused].filter(Boolean).join(" ");
  if (problems) notice(problems);
  else if (quiet && wanted.paused) notice("Your system asks for less motion: the picture stands still until you press Play.");
  // For tests: what a person cannot do by hand.
  window.throng = { lose: () => viewer?.lose(), time: () => time, still: () => !moving && !dirty, numbers: () => viewer?.numbers() ?? "{}" };
}

main();
