// Pages for what keeps the crowd from being drawn.

const element = (id) => document.getElementById(id);

// Shows a page in place of the picture: a title, and paragraphs or a list of them.
function show(title, paragraphs, restart) {
  element("failure-title").textContent = title;
  element("failure-text").replaceChildren(...paragraphs.map(block));
  element("restart").hidden = !restart;
  element("restart").onclick = restart ?? null;
  element("failure").hidden = false;
  if (restart) element("restart").focus();
  element("busy").textContent = "";
  document.title = `throng: ${title}`;
}

// A paragraph, or a list for several lines.
function block(lines) {
  if (typeof lines === "string") return Object.assign(document.createElement("p"), { textContent: lines });
  const list = document.createElement("ul");
  list.append(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  return list;
}

export function hide() {
  element("failure").hidden = true;
  document.title = "throng: a crowd behind a link";
}

// The browser has no WebGPU, or gives no adapter for it.
export function missing(reason) {
  document.body.classList.add("useless");
  const secure = window.isSecureContext
    ? []
    : ["This page came over plain http. Browsers offer WebGPU to https:// and to localhost only."];
  show("This browser offers no WebGPU", [
    "The crowd is drawn by your GPU through WebGPU, which this browser lacks or has switched off.",
    ...secure,
    [
      "Chrome, Edge, Opera (from version 113): on by default on Windows, macOS and Android; on Linux switch on "
        + "chrome://flags/#enable-unsafe-webgpu and chrome://flags/#enable-vulkan.",
      "Safari (from version 26): on by default; before that, Settings → Feature Flags → WebGPU.",
      "Firefox (from version 141 on Windows, 145 on macOS): on by default; elsewhere, about:config → "
        + "dom.webgpu.enabled in Nightly.",
      "Chromium says on chrome://gpu why a GPU is blocked: an old driver is the usual reason.",
    ],
    `What the browser said: ${reason}`,
  ]);
}

// The device was lost with everything on it.
export function lost(restart) {
  show("The GPU was lost", [
    "The browser took the GPU away: its driver was reset, the machine slept, or the crowd was too much for it.",
    "Start again to draw the same scene. If it happens at once again, choose fewer people.",
  ], restart);
}

// Anything else that ends the picture.
export function broken(reason, restart) {
  show("The picture stopped", ["Something went wrong that the page cannot mend:", reason], restart);
}
