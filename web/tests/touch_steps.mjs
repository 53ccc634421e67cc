// The camera by fingers: real touch events, which the browser makes pointer events of.

import assert from "node:assert/strict";

const SOON = 30_000; // ms until a touch must show
const A_WHILE = 1500; // ms in which a jump would show

// Fingers on a page. Each call gives where all of them are then, null for one that is not there: those that come are
// put down, those that are gone are lifted, and the others move.
async function fingers(page) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type, points) => devtools.send("Input.dispatchTouchEvent", {
    type, touchPoints: points.map(([id, [x, y]]) => ({ x, y, id })),
  });
  let before = new Map();
  return async (...places) => {
    const now = new Map([...places.entries()].filter(([, place]) => place));
    const lifted = [...before].filter(([id]) => !now.has(id));
    // An end without points lifts all; otherwise it lifts those that it names.
    if (lifted.length) await send("touchEnd", now.size ? lifted : []);
    const comes = [...now.keys()].some((id) => !before.has(id));
    if (now.size && (comes || !lifted.length)) await send(comes ? "touchStart" : "touchMove", [...now]);
    before = now;
  };
}

// Position and target of the camera (m), as the link has them.
function place(page) {
  const from = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("from");
  const numbers = from?.split(",").map(Number) ?? [];
  return { eye: numbers.slice(0, 3), target: numbers.slice(3) };
}
const apart = (a, b) => Math.hypot(...a.map((one, axis) => one - b[axis]));
const distance = ({ eye, target }) => apart(eye, target);
const moved = (before, after) => Math.max(apart(before.eye, after.eye), apart(before.target, after.target));

export default function touchSteps(step, { visit, settle, picture, difference }) {
  step("moves the camera by fingers, and stays where they leave it", async (browser) => {
    const phone = { viewport: { width: 360, height: 400 }, hasTouch: true, isMobile: true };
    const page = await visit(browser, "#scene=plaza&count=10&time=4.0", phone);
    await settle(page);
    const touch = await fingers(page);
    const box = await page.locator("#crowd").boundingBox();
    const at = (x, y) => [box.x + box.width / 2 + x, box.y + box.height / 2 + y];
    const glide = async (steps, points) => {
      for (let done = 1; done <= steps; done += 1) await touch(...points(done / steps));
    };
    const change = async (what, act) => {
      const [before, link] = [await picture(page), page.url()];
      await act();
      // The browser hands touches on when it comes to them.
      await page.waitForFunction((old) => location.href !== old, link, { timeout: SOON })
        .catch(() => assert.fail(`${what}: the camera stayed`));
      await settle(page);
      const { mean } = await difference(page, before, await picture(page));
      console.log(`  ${what}: mean difference ${mean.toFixed(2)}`);
      assert.ok(mean > 0.5, `${what}: the picture stayed`);
      return place(page);
    };

    const turned = await change("one finger turns", async () => {
      await touch(at(0, 0));
      await glide(4, (share) => [at(80 * share, 0)]);
      await touch();
    });
    const pinch = (from, to) => async () => {
      await touch(at(-from, 0));
      await touch(at(-from, 0), at(from, 0));
      await glide(6, (share) => [-1, 1].map((side) => at(side * (from + (to - from) * share), 0)));
      await touch();
    };
    const near = await change("two fingers apart come closer", pinch(40, 100));
    assert.ok(distance(near) < 0.6 * distance(turned), `${distance(turned)} to ${distance(near)} m`);
    assert.ok(apart(near.target, turned.target) < 0.02 * distance(turned), "the target moved");
    const far = await change("two fingers closer go farther", pinch(100, 40));
    assert.ok(Math.abs(distance(far) / distance(turned) - 1) < 0.02, `${distance(turned)} and ${distance(far)} m`);
    const panned = await change("two fingers pan", async () => {
      await touch(at(-40, 0));
      await touch(at(-40, 0), at(40, 0));
      await glide(6, (share) => [at(-40 + 60 * share, 40 * share), at(40 + 60 * share, 40 * share)]);
      await touch();
    });
    assert.ok(Math.abs(distance(panned) / distance(far) - 1) < 0.01, `${distance(far)} and ${distance(panned)} m`);
    assert.ok(apart(panned.target, far.target) > 0.05 * distance(far), "the target stayed");

    // Fingers come and go where they like: the camera stays, and goes on from there.
    const still = async (what, ...points) => {
      const before = place(page);
      await touch(...points);
      await page.waitForTimeout(A_WHILE);
      await settle(page);
      assert.ok(moved(before, place(page)) < 1e-3, `${what}: the camera jumped by ${moved(before, place(page))} m`);
    };
    await still("a first finger", at(-80, -40));
    await still("a second finger", at(-80, -40), at(80, 60));
    await change("both", () => glide(3, (share) => [at(-80, -40 - 30 * share), at(80, 60 + 30 * share)]));
    await still("the second lifted", at(-80, -70));
    await still("a second one elsewhere", at(-80, -70), at(10, 100));
    await still("the first lifted", null, at(10, 100));
    const before = place(page);
    await touch(null, at(12, 100));
    await page.waitForTimeout(A_WHILE);
    await settle(page);
    assert.ok(moved(before, place(page)) < 0.1 * distance(before), "a small move turned far");
    await still("the last lifted");
    // Left over is no finger: the next one turns alone.
    const alone = await change("one finger again", async () => {
      await touch(at(0, 0));
      await glide(3, (share) => [at(-60 * share, 0)]);
      await touch();
    });
    assert.ok(apart(alone.target, before.target) < 0.02 * distance(before), "the target moved");
    return page;
  });
}
