// Contrast of every text with what lies below it, by the rules of WCAG 2.2 (1.4.3, AA).

import assert from "node:assert/strict";

const PLAIN = 4.5;
const LARGE = 3; // from 24 px, or 18.66 px in bold; also borders of controls (1.4.11)

// Shows everything that is hidden, with a text in it: each must be read when it is there.
const reveal = (page) => page.evaluate(() => {
  const texts = { busy: "Placing people…", "notice-text": "There is no such scene.", "failure-title": "The GPU was lost" };
  for (const [id, text] of Object.entries(texts)) document.getElementById(id).textContent = text;
  document.getElementById("failure-text").innerHTML = '<p>A paragraph, <code>code</code>, <a href="#">a link</a></p><ul><li>a line</li></ul>';
  document.getElementById("note-list").innerHTML = "<li>a note</li>";
  document.querySelectorAll("[hidden]").forEach((one) => (one.hidden = false));
  document.querySelectorAll("details").forEach((one) => (one.open = true));
});

// Texts with less contrast than they need, and how many there are in all.
const measure = (page, limits) => page.evaluate(({ PLAIN, LARGE }) => {
  const parts = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const over = (color, below) => color.rgb.map((part, at) => part * color.alpha + below[at] * (1 - color.alpha));
  const light = (rgb) => {
    const linear = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  // What lies below a text: its own and its parents' colours, the picture (`deepest`) below them all.
  const below = (element, deepest) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const color = parts(getComputedStyle(one).backgroundColor);
      layers.unshift(one.id === "stage" ? { rgb: deepest, alpha: 1 } : color);
    }
    return layers.reduce((rgb, layer) => over(layer, rgb), [255, 255, 255]);
  };
  const own = (one) => [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  const texts = [...document.body.querySelectorAll("*")].filter((one) =>
    (own(one) || one.matches("input[type=number], select")) && one.checkVisibility() && !one.closest("script, noscript, option"));
  const found = texts.map((one) => {
    const style = getComputedStyle(one);
    const size = parseFloat(style.fontSize);
    const needs = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? LARGE : PLAIN;
    const least = Math.min(...[[0, 0, 0], [255, 255, 255]].map((picture) => {
      const ground = below(one, picture);
      return ratio(over(parts(style.color), ground), ground);
    }));
    return { text: `${one.tagName} ${one.id} “${one.textContent.trim().slice(0, 30)}”`, least, needs };
  });
  const controls = [...document.querySelectorAll("#panel :is(button, .button, select, input[type=number])")];
  found.push(...controls.map((one) => {
    const ground = below(one.parentElement, [0, 0, 0]);
    const least = ratio(parts(getComputedStyle(one).borderTopColor).rgb, ground);
    return { text: `border of ${one.id || one.textContent}`, least, needs: LARGE };
  }));
  const faint = found.filter(({ least, needs }) => least < needs);
  return {
    count: found.length,
    least: Math.min(...found.map(({ least }) => least)),
    faint: faint.map(({ text, least, needs }) => `${text}: ${least.toFixed(2)} of ${needs}`),
  };
}, limits);

export default function contrastSteps(step, { visit, settle, shots }) {
  step("has texts of enough contrast", async (browser) => {
    const page = await visit(browser, "#scene=plaza&count=20&time=4.0", { viewport: { width: 1000, height: 500 } });
    await settle(page);
    await reveal(page);
    await page.screenshot({ path: `${shots}/texts.png` });
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      const { count, least, faint } = await measure(page, { PLAIN, LARGE });
      console.log(`  ${colorScheme}: ${count} texts and borders, the least contrast is ${least.toFixed(2)}`);
      assert.deepEqual(faint, []);
      assert.ok(count > 50, `only ${count}`);
    }
    // A mouse over a button, and the button of a paused picture, have colours of their own.
    for (const id of ["pause", "home"]) {
      await page.locator(`#${id}`).hover({ force: true });
      assert.deepEqual((await measure(page, { PLAIN, LARGE })).faint, []);
    }
    return page;
  });
}
