// What the tests and measurements of the page share: headless Chromium, and a server of folders on this machine.

import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const USUAL = ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync"];
// A canvas is presented by SwiftShader with these flags only.
export const WEBGPU = ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader",
  "--use-angle=vulkan", "--use-webgpu-adapter=swiftshader"];
export const WEBGL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".wasm": "application/wasm", ".json": "application/json" };

// Function that starts a browser with these flags; `playwright` is the folder of the package playwright-core.
export async function launcher(playwright, executablePath) {
  const { chromium } = await import(pathToFileURL(resolve(playwright, "index.mjs")));
  return (flags) => chromium.launch({ executablePath, headless: true, args: [...USUAL, ...flags] });
}

// Serves files on a free port. `find` gives the path of a file for the parts of an address, or null for an answer 404.
export async function serve(find) {
  const server = createServer((request, response) => {
    const parts = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)).slice(1).split("/");
    const file = find(parts);
    if (file === null) return response.writeHead(404).end();
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).on("error", () => response.writeHead(404).end()).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

// Path of a file of a page: its start for an empty name.
export const pageFile = (folder, name) => join(folder, name || "index.html");
