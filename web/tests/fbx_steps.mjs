// FBX on the page: drawn by a reader of its own, refused with what is wrong.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { person } from "./fbx.mjs";

// Share of the pixels of a picture that are clearly purple.
async function purpleness(page, bytes) {
  return page.evaluate(async (url) => {
    const bitmap = await createImageBitmap(await (await fetch(url)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let purple = 0;
    for (let at = 0; at < data.length; at += 4) {
      const least = Math.min(data[at], data[at + 2]);
      purple += least > 60 && least > 2 * data[at + 1];
    }
    return purple / (data.length / 4);
  }, `data:image/png;base64,${bytes.toString("base64")}`);
}

export default function fbxSteps(step, { visit, settle, picture, difference, character, shots }) {
  step("shows an FBX by a reader that only such files load, and says what is wrong with a broken one", async (browser) => {
    const page = await visit(browser, "#scene=plaza&count=30&time=4.0");
    const loaded = [];
    page.on("request", (request) => loaded.push(basename(new URL(request.url()).pathname)));
    await settle(page);
    assert.ok((await purpleness(page, await picture(page))) < 0.001, "something is purple before");
    const choose = async (name, content) => {
      await page.locator("#file").setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });
      await settle(page);
      return page.locator("#notice-text").textContent();
    };
    await choose(basename(character), readFileSync(character));
    assert.deepEqual(loaded.filter((file) => file.includes("fbx")), [], "a GLB loads the FBX reader");
    assert.equal(await choose("person.fbx", person()), "");
    assert.ok(loaded.includes("throng_web_fbx_bg.wasm"), loaded.join(" "));
    const upright = await picture(page);
    writeFileSync(join(shots, "fbx.png"), upright);
    const purple = await purpleness(page, upright);
    console.log(`  ${(purple * 100).toFixed(2)} % of the pixels are purple`);
    assert.ok(purple > 0.003, "the texture in the file is not drawn");
    assert.match(await page.locator("#note-list").textContent(), /texture "coat\.png" is not in the file/);
    // Its clip plays.
    await page.locator("#time").fill("5");
    await settle(page);
    const bowed = await difference(page, upright, await picture(page));
    assert.ok(bowed.mean > 0.2, "its people stand still");
    const shown = await picture(page);
    for (const [name, content] of [["cut.fbx", person().slice(0, 60)], ["void.fbx", "Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0"]]) {
      const said = await choose(name, content);
      console.log(`  ${said}`);
      assert.match(said, new RegExp(`^${name}: cannot be read as FBX: .+ export it again as FBX 7\\.4`));
    }
    await page.locator("#notice-close").click();
    const after = await difference(page, shown, await picture(page));
    assert.ok(after.mean < 0.1, "a broken file changed the picture");
    // The device lost: the character is still there, and so are the notes of its conversion.
    await page.evaluate(() => window.throng.lose());
    await page.locator("#restart").click();
    await page.locator("#failure").waitFor({ state: "hidden" });
    await settle(page);
    const again = await difference(page, shown, await picture(page));
    assert.ok(again.mean < 0.1, `another picture after the device was lost: ${again.mean}`);
    assert.match(await page.locator("#note-list").textContent(), /coat\.png/);
    return page;
  });

  step("says that the FBX reader is missing where it is", async (browser) => {
    const page = await visit(browser, "#scene=plaza&count=30&time=4.0");
    await page.route("**/throng_web_fbx*", (route) => route.fulfill({ status: 404 }));
    await settle(page);
    await page.locator("#file").setInputFiles({ name: "person.fbx", mimeType: "", buffer: Buffer.from(person()) });
    await settle(page);
    assert.match(await page.locator("#notice-text").textContent(), /^The FBX reader cannot be loaded/);
    page.said = page.said.filter((text) => !text.includes("404"));
    return page;
  });
}
