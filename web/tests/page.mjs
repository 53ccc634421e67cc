// Opens the built page in headless Chromium and checks what a visitor would: pictures, scenes, counts, an own character,
// links, and what the page says without WebGPU and after the device was lost.
//
//   node page.mjs DIST PLAYWRIGHT CHROMIUM NATIVE_PNG CHARACTER_GLB SHOTS SITE
//
// NATIVE_PNG is the native program's picture of NATIVE_LINK on Chromium's own SwiftShader, or - to leave that out. The
// variable MILLION_PNG names that of MILLION_LINK, COMPUTE_PNG one of 400 soldiers by the software rasterizer.
// SHOTS is a folder for pictures of every scene; SITE the page that `throng export --web` made of CHARACTER_GLB: 30 people
// on the plaza, called Knights.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";

import { WEBGPU, launcher, pageFile, serve } from "./browser.mjs";
import contrastSteps from "./contrast_steps.mjs";
import fbxSteps from "./fbx_steps.mjs";
import keyboardSteps from "./keyboard_steps.mjs";
import touchSteps from "./touch_steps.mjs";

const [dist, playwright, executablePath, nativePng, character, shots, site] = process.argv.slice(2);
const open = await launcher(playwright, executablePath);

// Of the picture that the native program drew: see .ci/web.
const NATIVE_LINK = "#scene=plaza&count=200&time=4.0";
const NATIVE_SIZE = { width: 640, height: 360 };
const MILLION_LINK = "#scene=million&count=1000000&time=6.0";
const MILLION_SIZE = { width: 320, height: 180 };
const MILLION_PATIENCE = 1_200_000; // ms
// Largest mean difference of a channel (of 255), and share of pixels that may differ by more than FAR. Both pictures
// come from the same rasterizer; only its versions of the shaders differ. (Measured: 0.00015, and none by more than 6.)
const MOST_MEAN = 0.05;
const FAR = 16;
const MOST_FAR = 0.001;
const PATIENCE = 300_000; // ms: a few cores draw all of it

// Folders by the first part of the address; `broken` is the exported page without its characters.
const FOLDERS = { site, broken: site };
const { server, address } = await serve(([first, second]) => {
  const folder = FOLDERS[first];
  const name = folder ? second : first;
  return first === "broken" && extname(name) === ".glb" ? null : pageFile(folder ?? dist, name);
});

// A page whose console must stay empty.
async function visit(browser, hash, options = {}, folder = "") {
  const page = await browser.newPage({ viewport: NATIVE_SIZE, ...options });
  page.said = [];
  page.on("console", (message) => page.said.push(message.text()));
  page.on("pageerror", (error) => page.said.push(String(error)));
  page.setDefaultTimeout(PATIENCE);
  await page.goto(address + folder + hash);
  return page;
}

async function settle(page) {
  await page.waitForFunction(() => window.throng?.still() && !document.getElementById("busy").textContent);
  // The link follows a moment later.
  await page.waitForTimeout(700);
}

const picture = (page) => page.locator("#crowd").screenshot();
const value = (page, id) => page.locator(`#${id}`).inputValue();

// Mean difference of two pictures, and the share of pixels that differ much, measured by the browser itself.
function difference(page, a, b) {
  const urls = [a, b].map((bytes) => `data:image/png;base64,${bytes.toString("base64")}`);
  return page.evaluate(async ([urls, far]) => {
    const pixels = await Promise.all(urls.map(async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    const [one, other] = pixels;
    if (one.width !== other.width || one.height !== other.height) throw new Error("sizes differ");
    let [sum, many] = [0, 0];
    for (let at = 0; at < one.data.length; at += 4) {
      let most = 0;
      for (let channel = 0; channel < 3; channel += 1) {
        const apart = Math.abs(one.data[at + channel] - other.data[at + channel]);
        sum += apart;
        most = Math.max(most, apart);
      }
      many += most > far;
    }
    const count = one.data.length / 4;
    return { mean: sum / count / 3, far: many / count };
  }, [urls, FAR]);
}

// Fails unless two pictures are equal but for the versions of the shaders; `whose` is what the first one is compared with.
async function assertEqual(page, drawn, wanted, whose) {
  const { mean, far } = await difference(page, drawn, wanted);
  console.log(`  mean difference ${mean.toFixed(4)} of 255 from ${whose}, ${(far * 100).toFixed(3)} % of pixels far`);
  assert.ok(mean < MOST_MEAN && far < MOST_FAR, "the pictures differ too much");
}

// Hides all but the canvas, which then has the size of the window.
const alone = (page) => page.addStyleTag({ content: "#panel{display:none!important}body{display:block!important}#stage{height:100%}" });

const steps = [];
const step = (name, run) => steps.push([name, run]);

step("draws what the native program draws", async (browser) => {
  if (nativePng === "-") return console.log("  SKIPPED: no SwiftShader for the native program");
  const page = await visit(browser, NATIVE_LINK);
  await alone(page);
  await settle(page);
  const drawn = await picture(page);
  writeFileSync(join(shots, "web.png"), drawn);
  await assertEqual(page, drawn, readFileSync(nativePng), "the native program");
  return page;
});

step("draws a million people as the native program does", async (browser) => {
  const wanted = process.env.MILLION_PNG;
  if (!wanted) return console.log("  SKIPPED: MILLION_PNG names no picture, since it takes minutes");
  const page = await visit(browser, MILLION_LINK, { viewport: MILLION_SIZE });
  page.setDefaultTimeout(MILLION_PATIENCE);
  await alone(page);
  await settle(page);
  assert.equal(await value(page, "count"), "1000000");
  const drawn = await picture(page);
  writeFileSync(join(shots, "million.png"), drawn);
  await assertEqual(page, drawn, readFileSync(wanted), "the native program");
  return page;
});

step("switches scenes and counts, draws ten thousand people, and the link follows", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=50&time=4.0");
  await settle(page);
  const before = await picture(page);
  await page.selectOption("#scene", "army");
  await settle(page);
  assert.equal(await value(page, "count"), "10000");
  assert.match(page.url(), /#scene=army/);
  writeFileSync(join(shots, "ten-thousand.png"), await picture(page));
  await page.fill("#count", "300");
  await page.locator("#count").press("Enter");
  await page.locator("#fewer").dispatchEvent("click");
  await settle(page);
  assert.equal(await value(page, "count"), "150");
  assert.match(page.url(), /count=150/);
  const apart = await difference(page, before, await picture(page));
  assert.ok(apart.mean > 5, "the picture stayed");
  await page.evaluate(() => (location.hash = "#scene=plaza&count=70&technique=vertex&detail=full&time=9.0"));
  await settle(page);
  assert.deepEqual([await value(page, "scene"), await value(page, "count"), await value(page, "technique")],
    ["plaza", "70", "vertex"]);
  await page.evaluate(() => (location.hash = "#scene=nowhere&count=many"));
  await settle(page);
  assert.match(await page.locator("#notice-text").textContent(), /no scene “nowhere”/);
  return page;
});

step("draws the same people by every technique", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=40&detail=full&time=6.0");
  await settle(page);
  const matrix = await picture(page);
  for (const technique of ["preskinned", "vertex", "live"]) {
    await page.selectOption("#technique", technique);
    await settle(page);
    assert.equal(await page.locator("#notice").isVisible(), false, await page.locator("#notice-text").textContent());
    const apart = await difference(page, matrix, await picture(page));
    console.log(`  ${technique}: mean difference ${apart.mean.toFixed(3)} from matrix`);
    assert.ok(apart.mean < 0.2, technique);
  }
  return page;
});

step("draws by the software rasterizer what the native program draws by it", async (browser) => {
  const page = await visit(browser, "#scene=army&count=400&time=6.0&raster=compute");
  await alone(page);
  await settle(page);
  const { raster } = JSON.parse(await page.evaluate(() => window.throng.numbers()));
  assert.equal(raster, "compute");
  const computed = await picture(page);
  writeFileSync(join(shots, "compute.png"), computed);
  await page.evaluate(() => (location.hash = "#scene=army&count=400&time=6.0"));
  await settle(page);
  const other = await difference(page, computed, await picture(page));
  console.log(`  mean difference ${other.mean.toFixed(3)} from the hardware rasterizer`);
  assert.ok(other.mean > 0 && other.mean < 0.5, "nothing comes from the software rasterizer, or something else");
  if (!process.env.COMPUTE_PNG) {
    console.log("  SKIPPED: no SwiftShader for the native program");
    return page;
  }
  await assertEqual(page, computed, readFileSync(process.env.COMPUTE_PNG), "the native program");
  return page;
});

step("draws attachments and scenery by the software rasterizer", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=40&time=6.0");
  await settle(page);
  const hardware = await picture(page);
  await page.selectOption("#raster", "compute");
  await settle(page);
  assert.equal(await page.locator("#notice").isVisible(), false, await page.locator("#notice-text").textContent());
  assert.match(page.url(), /raster=compute/);
  const apart = await difference(page, hardware, await picture(page));
  console.log(`  mean difference ${apart.mean.toFixed(4)}, ${(apart.far * 100).toFixed(3)} % of pixels far`);
  assert.ok(apart.mean > 0 && apart.mean < 0.5, "the pictures differ too much");
  return page;
});

step("moves the camera by mouse, wheel and keys, and time by its slider", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=40&time=4.0");
  await settle(page);
  const change = async (what, act) => {
    const before = await picture(page);
    await act();
    await settle(page);
    const apart = await difference(page, before, await picture(page));
    assert.ok(apart.mean > 0.5, `${what}: the picture stayed`);
  };
  const box = await page.locator("#crowd").boundingBox();
  await change("drag", async () => {
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 110, { steps: 4 });
    await page.mouse.up();
  });
  await change("wheel", () => page.mouse.wheel(0, -400));
  await change("arrow", () => page.keyboard.press("ArrowLeft"));
  await change("slider", () => page.locator("#time").fill("20"));
  assert.match(page.url(), /from=/);
  const from = page.url();
  const again = await visit(browser, new URL(from).hash);
  await settle(again);
  const pictures = [await picture(page), await picture(again)];
  pictures.forEach((bytes, at) => writeFileSync(join(shots, `link-${at}.png`), bytes));
  const apart = await difference(page, ...pictures);
  console.log(`  a link's picture: mean difference ${apart.mean.toFixed(3)}`);
  assert.ok(apart.mean < 1.5, `a link gives another picture: ${apart.mean}`);
  assert.deepEqual(again.said, []);
  await again.close();
  await page.keyboard.press("Home");
  return page;
});

step("shows a dropped character, and says what is wrong with other files", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=30&time=4.0");
  await settle(page);
  const before = await picture(page);
  const bytes = readFileSync(character).toString("base64");
  await page.evaluate(async ([bytes, name]) => {
    const blob = await (await fetch(`data:model/gltf-binary;base64,${bytes}`)).blob();
    const data = new DataTransfer();
    data.items.add(new File([blob], name));
    for (const kind of ["dragenter", "drop"]) {
      window.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
  }, [bytes, basename(character)]);
  await settle(page);
  assert.equal(await page.locator("#uncast").isVisible(), true);
  const apart = await difference(page, before, await picture(page));
  assert.ok(apart.mean > 1, "the picture stayed");
  const choose = async (name, text) => {
    await page.locator("#file").setInputFiles({ name, mimeType: "", buffer: Buffer.from(text) });
    await settle(page);
    return page.locator("#notice-text").textContent();
  };
  assert.match(await choose("broken.glb", "glTF and nothing else"), /broken\.glb/);
  await page.locator("#uncast").click();
  await settle(page);
  const back = await difference(page, before, await picture(page));
  assert.ok(back.mean < 0.5, "the scene's people did not come back");
  return page;
});

const listed = (page) => page.locator("#scene option").allTextContents();

step("shows the scene and the characters that lie beside it", async (browser) => {
  const page = await visit(browser, "#time=4.0", {}, "site/");
  await settle(page);
  const scenes = await listed(page);
  assert.equal(scenes[0], "Knights");
  assert.ok(scenes.includes("Plaza") && scenes.includes("Million"), scenes);
  assert.deepEqual([await value(page, "scene"), await value(page, "count")], ["Knights", "30"]);
  assert.match(page.url(), /#scene=Knights&time=4/);
  const own = await picture(page);
  writeFileSync(join(shots, "own.png"), own);
  // The same file, dropped on the page's own plaza, gives the same people.
  const other = await visit(browser, "#scene=plaza&count=30&time=4.0");
  await settle(other);
  assert.equal((await listed(other)).includes("Knights"), false);
  const townsfolk = await difference(page, own, await picture(other));
  assert.ok(townsfolk.mean > 1, "its characters are not drawn");
  await other.locator("#file").setInputFiles(character);
  await settle(other);
  await assertEqual(page, own, await picture(other), "the dropped file");
  assert.deepEqual(other.said, []);
  await other.close();
  await page.selectOption("#scene", "army");
  await settle(page);
  assert.match(page.url(), /#scene=army/);
  await page.selectOption("#scene", "Knights");
  await settle(page);
  const back = await difference(page, own, await picture(page));
  assert.ok(back.mean < MOST_MEAN, `another picture after another scene: ${back.mean}`);
  // Another number of people in the link, and the device lost: the characters are still there.
  await page.evaluate(() => (location.hash = "#scene=Knights&count=12&time=4.0"));
  await settle(page);
  const few = await picture(page);
  await page.evaluate(() => window.throng.lose());
  await page.locator("#restart").click();
  await page.locator("#failure").waitFor({ state: "hidden" });
  await settle(page);
  const again = await difference(page, few, await picture(page));
  assert.ok(again.mean < 0.1, `another picture after the device was lost: ${again.mean}`);
  return page;
});

step("says which file beside it is missing, and draws the other scenes", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=30&time=4.0", {}, "broken/");
  await settle(page);
  const notice = await page.locator("#notice-text").textContent();
  assert.match(notice, /^knight\.glb cannot be loaded: the server answers 404/);
  assert.equal(await value(page, "count"), "30");
  assert.equal((await listed(page)).includes("Knights"), false);
  // The browser itself writes about the answer.
  assert.deepEqual(page.said.filter((text) => !text.includes("404")), []);
  page.said = [];
  return page;
});

step("stands still where less motion is asked for", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=30", { reducedMotion: "reduce" });
  await settle(page);
  const time = () => page.evaluate(() => window.throng.time());
  const before = await time();
  await page.waitForTimeout(500);
  assert.equal(await time(), before);
  assert.equal(await page.locator("#pause").textContent(), "Play");
  await page.locator("#pause").click();
  await page.waitForTimeout(1500);
  assert.ok((await time()) > before);
  return page;
});

step("says that the device was lost, and starts again", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=30&time=4.0");
  await settle(page);
  const before = await picture(page);
  await page.evaluate(() => window.throng.lose());
  await page.locator("#failure").waitFor({ state: "visible" });
  assert.match(await page.locator("#failure-title").textContent(), /lost/);
  await page.locator("#restart").click();
  await page.locator("#failure").waitFor({ state: "hidden" });
  await settle(page);
  const apart = await difference(page, before, await picture(page));
  assert.ok(apart.mean < 0.1, `another picture: ${apart.mean}`);
  return page;
});

step("names everything for keys and screen readers", async (browser) => {
  const page = await visit(browser, "#scene=plaza&count=30&time=4.0", { viewport: { width: 1280, height: 800 } });
  await settle(page);
  const nameless = await page.evaluate(() => {
    const all = [...document.querySelectorAll("button, select, input, canvas, summary")];
    const named = (one) => one.ariaLabel || one.textContent.trim() || one.labels?.length;
    return all.filter((one) => !named(one)).map((one) => one.outerHTML);
  });
  assert.deepEqual(nameless, []);
  const reached = new Set();
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.id));
  }
  for (const id of ["crowd", "pause", "scene", "count", "technique", "raster", "detail", "time", "file", "home", "full", "copy"]) {
    assert.ok(reached.has(id), `Tab never reaches ${id}`);
  }
  return page;
});

const tools = { visit, settle, picture, value, difference, character, shots };
for (const add of [fbxSteps, touchSteps, keyboardSteps, contrastSteps]) add(step, tools);

// Scenes and numbers of people that a CPU draws within seconds.
const SHOWN = [["plaza", 600], ["stadium", 4000], ["army", 3000], ["marathon", 2000], ["stress", 5000], ["million", 20000]];
for (const [name, size] of [["desktop", { width: 1280, height: 800 }], ["phone", { width: 390, height: 844 }]]) {
  step(`pictures of every scene, ${name}`, async (browser) => {
    const phone = name === "phone" ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {};
    for (const [scene, count] of SHOWN) {
      const page = await visit(browser, `#scene=${scene}&count=${count}&time=6.0`, { viewport: size, ...phone });
      await settle(page);
      await page.waitForTimeout(2000);
      await page.screenshot({ path: join(shots, `${name}-${scene}.png`) });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${scene}: the page is ${wide} px too wide`);
      if (name === "phone" && scene === "plaza") {
        await page.locator("#more").tap();
        await page.screenshot({ path: join(shots, `${name}-settings.png`) });
      }
      assert.deepEqual(page.said, []);
      await page.close();
    }
    const page = await visit(browser, "#time=6.0", { viewport: size, ...phone }, "site/");
    await settle(page);
    await page.screenshot({ path: join(shots, `${name}-own.png`) });
    await page.close();
  });
}

let failed = 0;
mkdirSync(shots, { recursive: true });
async function run(browser, [name, act]) {
  const begun = Date.now();
  try {
    const page = await act(browser);
    if (page) {
      assert.deepEqual(page.said, [], "the console is not empty");
      await page.close();
    }
    console.log(`ok: ${name} (${((Date.now() - begun) / 1000).toFixed(0)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}: ${error.stack}`);
    for (const context of browser.contexts()) for (const page of context.pages()) {
      console.log(`  said: ${(page.said ?? []).join(" | ").slice(0, 2000)}`);
      await page.screenshot({ path: join(shots, "failed.png") }).catch(() => {});
      await page.close();
    }
  }
}

const only = process.env.STEP;
const browser = await open(WEBGPU);
for (const one of steps) if (!only || one[0].includes(only)) await run(browser, one);
await browser.close();

const without = await open(["--disable-features=WebGPU", "--disable-gpu"]);
await run(without, ["says where WebGPU is missing", async (bare) => {
  const page = await visit(bare, "");
  await page.locator("#failure").waitFor({ state: "visible" });
  assert.match(await page.locator("#failure-title").textContent(), /no WebGPU/);
  assert.match(await page.locator("#failure-text").textContent(), /enable-unsafe-webgpu/);
  await page.screenshot({ path: join(shots, "missing.png") });
  // What a browser without WebGPU writes by itself is its own.
  page.said = [];
  return page;
}]);
await without.close();
server.close();
process.exit(failed ? 1 : 0);
