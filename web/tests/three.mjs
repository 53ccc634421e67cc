// Draws exported characters by web/three/throng-crowd.js in headless Chromium, through WebGPU and WebGL 2, and compares the
// pictures with the native program's normals and ids.
//
//   node three.mjs THREE PLAYWRIGHT CHROMIUM NATIVE
//
// THREE and PLAYWRIGHT are the folders of these packages; NATIVE holds what the program wrote (.ci/web): people.normal.png,
// people.ids.png, people.json, people.labels.json, and characters exported as f16 and unorm8.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

import { WEBGL, WEBGPU, launcher, serve } from "./browser.mjs";

const [three, playwright, executablePath, native] = process.argv.slice(2);
const open = await launcher(playwright, executablePath);
const here = import.meta.dirname;

const FLAGS = { webgpu: WEBGPU, webgl: WEBGL };
const PATIENCE = 300_000; // ms
// Least share of the pixels of people in either picture that are people in both, and largest median difference of a normal's
// component: pictures have 8 bits, which is a step of 0.008. (Measured for f16: 0.998 and 0.004.)
const LIMITS = { f16: [0.99, 0.01], unorm8: [0.97, 0.03], level: [0.95, 0.1] };

const FOLDERS = { three, native, module: join(here, "../three"), tests: here };
const { server, address } = await serve(([folder, ...rest]) => (folder in FOLDERS ? join(FOLDERS[folder], ...rest) : null));

// Samples of a PNG without interlacing: { width, height, channels, at(x, y, channel) in 0 to 1, word(x, y, channel) }.
function png(bytes) {
  const parts = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const [width, height, depth] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[24] / 8];
  const channels = { 0: 1, 2: 3, 6: 4 }[bytes[25]];
  const [step, row] = [channels * depth, width * channels * depth];
  const raw = inflateSync(Buffer.concat(parts));
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x >= step ? out[y * row + x - step] : 0;
      const up = y > 0 ? out[(y - 1) * row + x] : 0;
      const corner = x >= step && y > 0 ? out[(y - 1) * row + x - step] : 0;
      const [a, b, c] = [left, up, corner].map((value) => Math.abs(left + up - corner - value));
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      out[y * row + x] = raw[y * (row + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  const word = (x, y, channel) => {
    const at = y * row + x * step + channel * depth;
    return depth === 2 ? out.readUInt16BE(at) : out[at];
  };
  return { width, height, word, at: (x, y, channel) => word(x, y, channel) / (depth === 2 ? 65535 : 255) };
}

const load = (name) => png(readFileSync(join(native, name)));
const [normals, ids] = [load("people.normal.png"), load("people.ids.png")];

// Overlap of people in a picture and in the native one, and median difference of their normals.
function compare(picture) {
  let [both, either] = [0, 0];
  const differences = [];
  for (let y = 0; y < ids.height; y++) {
    for (let x = 0; x < ids.width; x++) {
      const [here, there] = [[0, 1, 2].some((channel) => picture.word(x, y, channel) > 0), ids.word(x, y, 0) > 0];
      either += here || there;
      if (!here || !there) continue;
      both += 1;
      differences.push(Math.max(...[0, 1, 2].map((c) => Math.abs(2 * (picture.at(x, y, c) - normals.at(x, y, c))))));
    }
  }
  differences.sort((a, b) => a - b);
  return [both / either, differences[differences.length >> 1]];
}

async function check(browser, api, file, level, limits) {
  const page = await browser.newPage({ viewport: { width: ids.width, height: ids.height } });
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.setDefaultTimeout(PATIENCE);
  const query = `file=${file}&level=${level}${api === "webgl" ? "&webgl" : ""}`;
  await page.goto(`${address}tests/three.html?${query}`);
  await page.waitForFunction(() => document.title !== "loading");
  assert.equal(await page.title(), { webgpu: "WebGPU", webgl: "WebGL 2" }[api]);
  const drawn = async (since, look) => {
    await page.evaluate(([since, look]) => window.draw(since, look), [since, look]);
    return page.screenshot();
  };
  const after = await drawn(1);
  writeFileSync(join(native, `three-${api}-${file}-${level}.png`), after);
  const [overlap, difference] = compare(png(after));
  console.log(`${api} ${file} level ${level}: overlap ${overlap.toFixed(4)}, normals differ by ${difference.toFixed(4)}`);
  assert(overlap >= limits[0] && difference <= limits[1], "the picture differs from the native one");
  const [begun, middle] = [await drawn(0), await drawn(0.5)];
  assert(!begun.equals(after) && !middle.equals(after) && !middle.equals(begun), "a fade shows neither clip alone");
  assert((await drawn(1)).equals(after), "a fade that is over leaves nothing");
  const lit = await drawn(1, "own");
  writeFileSync(join(native, `three-${api}-${file}-${level}-lit.png`), lit);
  assert(compare(png(lit))[0] >= limits[0], "people in their own materials are elsewhere");
  assert.equal(compare(png(await drawn()))[0], 0, "people who were taken away are drawn");
  assert.deepEqual(said, [], "the console stays empty");
  await page.close();
}

for (const [api, flags] of Object.entries(FLAGS)) {
  const browser = await open(flags);
  await check(browser, api, "man", 0, LIMITS.f16);
  await check(browser, api, "man-unorm8", 0, LIMITS.unorm8);
  await check(browser, api, "man", 3, LIMITS.level);
  await browser.close();
}
server.close();
