// Measures how long a visitor waits: from the last byte of the program to the first submit of a picture, each time in a
// fresh browser. A measurement, not a test: it needs two idle cores, and says what it found.
//
//   node start_time.mjs DIST PLAYWRIGHT CHROMIUM [LINK [RUNS]]
//
// LINK is that of a page, such as "#scene=army"; without it, the plaza as a visitor finds it.

import { WEBGPU, launcher, pageFile, serve } from "./browser.mjs";

const [dist, playwright, executablePath, link = "", runs = "9"] = process.argv.slice(2);
const WINDOW = { width: 1280, height: 800 };
const PATIENCE = 120_000; // ms

const open = await launcher(playwright, executablePath);
const { server, address } = await serve(([name]) => pageFile(dist, name));

// In the page: when a command buffer with a render pass was first submitted (ms).
function watch() {
  let drawn = false;
  const before = (prototype, name, act) => {
    const own = prototype[name];
    prototype[name] = function (...all) {
      act();
      return own.apply(this, all);
    };
  };
  before(GPUCommandEncoder.prototype, "beginRenderPass", () => (drawn = true));
  before(GPUQueue.prototype, "submit", () => drawn && (window.firstSubmit ??= performance.now()));
}

const waits = [];
for (let run = 0; run < Number(runs); run += 1) {
  const browser = await open(WEBGPU);
  const page = await browser.newPage({ viewport: WINDOW });
  await page.addInitScript(watch);
  await page.goto(address + link);
  await page.waitForFunction(() => window.firstSubmit, null, { timeout: PATIENCE });
  const wait = await page.evaluate(() => {
    const program = performance.getEntriesByType("resource").find(({ name }) => name.endsWith("throng_web_bg.wasm"));
    return (window.firstSubmit - program.responseEnd) / 1000;
  });
  waits.push(wait);
  console.log(`${wait.toFixed(2)} s`);
  await browser.close();
}
server.close();
waits.sort((a, b) => a - b);
console.log(`median ${waits[waits.length >> 1].toFixed(2)} s, least ${waits[0].toFixed(2)}, most ${waits.at(-1).toFixed(2)}`);
