// Everything by the keyboard alone, with a visible focus.

import assert from "node:assert/strict";

import { person } from "./fbx.mjs";

const MOST_TABS = 60;
// Least contrast of an outline with what lies beside it (WCAG 2.2, 1.4.11).
const VISIBLE = 3;

// Outline of the control that has the focus; a hidden file input has that of its label.
const outline = (page) => page.evaluate(() => {
  const active = document.activeElement;
  const shown = active.id === "file" ? document.querySelector(".button[for=file]") : active;
  const style = getComputedStyle(shown);
  const light = (color) => {
    const linear = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const around = getComputedStyle(shown.closest("#panel, #notice, #failure") ?? document.body).backgroundColor;
  const [a, b] = [light(style.outlineColor), light(around)];
  const { top, bottom } = shown.getBoundingClientRect();
  return {
    scrolled: document.scrollingElement.scrollTop,
    seen: top >= 0 && bottom <= innerHeight,
    drawn: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
  };
});

const focused = (page) => page.evaluate(() => document.activeElement?.id ?? "");

// Goes to a control by Tab; its outline must be visible.
async function reach(page, id) {
  for (let press = 0; press < MOST_TABS && (await focused(page)) !== id; press += 1) await page.keyboard.press("Tab");
  assert.equal(await focused(page), id, `Tab never reaches ${id}`);
  const { scrolled, seen, drawn, contrast } = await outline(page);
  assert.equal(scrolled, 0, `${id}: the whole page is scrolled`);
  assert.ok(seen, `${id}: not visible`);
  assert.ok(drawn, `${id}: no outline`);
  assert.ok(contrast >= VISIBLE, `${id}: the outline's contrast is ${contrast.toFixed(1)}`);
}

export default function keyboardSteps(step, { visit, settle, picture, value, difference }) {
  step("does everything by the keyboard alone", async (browser) => {
    const page = await visit(browser, "#scene=plaza&count=20&time=4.0", { viewport: { width: 640, height: 400 } }, "site/");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await settle(page);
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await settle(page);
    };
    const change = async (what, act) => {
      const before = await picture(page);
      await act();
      await settle(page);
      const { mean } = await difference(page, before, await picture(page));
      assert.ok(mean > 0.2, `${what}: the picture stayed`);
    };
    const time = () => page.evaluate(() => window.throng.time());
    const text = (id) => page.locator(`#${id}`).textContent();

    await reach(page, "scene");
    await change("scene", () => press("k"));
    assert.deepEqual([await value(page, "scene"), await value(page, "count")], ["Knights", "30"]);
    await reach(page, "count");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("12");
    await change("people", () => press("Enter"));
    assert.match(page.url(), /count=12/);
    await reach(page, "more-people");
    await press("Enter");
    assert.equal(await value(page, "count"), "24");
    await reach(page, "technique");
    await press("ArrowDown");
    assert.equal(await value(page, "technique"), "preskinned");
    await reach(page, "detail");
    await press("f");
    assert.match(page.url(), /detail=full/);
    await reach(page, "time");
    await change("time", () => press("PageUp"));
    assert.ok((await time()) > 10, `${await time()} s`);
    await reach(page, "pause");
    const before = await time();
    await page.keyboard.press("Space");
    assert.equal(await text("pause"), "Pause");
    await page.waitForTimeout(1500);
    await press("Enter");
    assert.equal(await text("pause"), "Play");
    assert.ok((await time()) > before);

    await reach(page, "file");
    for (const key of ["Enter", "Space"]) {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press(key)]);
      const file = { name: "person.fbx", mimeType: "", buffer: Buffer.from(person()) };
      if (key === "Space") await change("file", () => chooser.setFiles(file));
    }
    await reach(page, "uncast");
    await press("Enter");
    assert.equal(await page.locator("#uncast").isVisible(), false);

    await reach(page, "crowd");
    const views = [await picture(page)];
    for (const key of ["ArrowLeft", "ArrowDown", "+", "-"]) await change(key, () => press(key));
    for (const key of ["w", "s", "a", "d", "e", "q"]) {
      await change(`flight by ${key}`, async () => {
        await page.keyboard.down(key);
        await page.waitForTimeout(400);
        await page.keyboard.up(key);
      });
    }
    await change("Home", () => press("Home"));
    const home = await difference(page, views[0], await picture(page));
    assert.ok(home.mean < 0.1, `Home gives another view: ${home.mean}`);
    await press("Space");
    assert.equal(await text("pause"), "Pause");
    await press("Space");
    await page.keyboard.press("ArrowRight");
    await reach(page, "home");
    await press("Enter");
    assert.doesNotMatch(page.url(), /from=/);

    const full = () => page.waitForFunction(() => document.fullscreenElement?.id === "stage");
    const left = () => page.waitForFunction(() => !document.fullscreenElement);
    await reach(page, "full");
    await page.keyboard.press("Enter");
    await full();
    await page.evaluate(() => document.exitFullscreen());
    await left();
    await reach(page, "crowd");
    await page.keyboard.press("f");
    await full();
    await page.keyboard.press("f");
    await left();
    await settle(page);

    await reach(page, "copy");
    await press("Enter");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    const summaries = page.locator("summary:visible");
    await reach(page, "passes-title");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#passes").getAttribute("open"), "");
    assert.ok((await summaries.count()) >= 3);

    await page.evaluate(() => (location.hash = "#scene=nowhere&count=12&time=4.0"));
    await settle(page);
    await reach(page, "notice-close");
    await press("Enter");
    assert.equal(await page.locator("#notice").isVisible(), false);
    assert.equal(await focused(page), "crowd", "the focus is lost with the notice");
    await page.evaluate(() => window.throng.lose());
    await page.locator("#failure").waitFor({ state: "visible" });
    await reach(page, "restart");
    await page.keyboard.press("Enter");
    await page.locator("#failure").waitFor({ state: "hidden" });
    await settle(page);
    assert.equal(await focused(page), "crowd", "the focus is lost with the button");
    return page;
  });

  step("opens and closes the settings of a narrow screen by the keyboard", async (browser) => {
    const page = await visit(browser, "#scene=plaza&count=20&time=4.0", { viewport: { width: 390, height: 500 } });
    await settle(page);
    assert.equal(await page.locator("#scene").isVisible(), false);
    await reach(page, "more");
    await page.keyboard.press("Enter");
    await reach(page, "scene");
    assert.equal(await page.locator("#scene").isVisible(), true);
    await reach(page, "more");
    await page.keyboard.press("Space");
    assert.equal(await page.locator("#more").getAttribute("aria-expanded"), "false");
    assert.equal(await page.locator("#scene").isVisible(), false);
    return page;
  });
}
