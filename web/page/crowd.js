// The scene that lies beside the page, with its characters: `throng export --web` writes both, and crowd.json, which
// names them. The page's own index.html names no crowd.json, and nothing is asked for then.

import { OwnScene } from "./throng_web.js";

const SCHEMA = 1;
const STEP = 10; // percent between two messages: each is read aloud

// A file beside the page.
async function ask(file) {
  const fail = (why) => {
    throw new Error(`${file} cannot be loaded: ${why}`);
  };
  // Asked again each time: an older scene beside newer characters would be another one.
  const answer = await fetch(encodeURIComponent(file), { cache: "no-cache" }).catch((error) => fail(error.message));
  return answer.ok ? answer : fail(`the server answers ${answer.status} ${answer.statusText}`);
}

// Bytes of a file; `got` is told of every part that arrives.
async function bytesOf(file, got) {
  const parts = [];
  const reader = (await ask(file)).body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    got(part.value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function manifest(file) {
  const text = await (await ask(file)).text();
  let crowd;
  try {
    crowd = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is damaged: ${error.message}. Export the page again`);
  }
  if (crowd.schema !== SCHEMA) {
    throw new Error(`${file} has schema ${crowd.schema}, and this page reads ${SCHEMA}: export it with the page of its version`);
  }
  return crowd;
}

// Scene beside the page, or null if there is none. `say` shows what is being done, and lets the browser paint it.
export async function load(say) {
  const file = document.querySelector('meta[name="crowd"]')?.content;
  if (!file) return null;
  const crowd = await manifest(file);
  const scene = new OwnScene(crowd.scene, await (await ask(crowd.scene)).text());
  const all = crowd.characters.reduce((sum, { bytes }) => sum + bytes, 0);
  let [here, said] = [0, -STEP];
  const got = (bytes) => {
    here += bytes;
    const percent = Math.floor((here / all) * 100 / STEP) * STEP;
    if (percent < said + STEP) return;
    said = percent;
    say(`Loading the characters of ${crowd.name}… ${percent} %`);
  };
  for (const { file: name, bytes: size } of crowd.characters) {
    const bytes = await bytesOf(name, got);
    if (bytes.length !== size) {
      throw new Error(`${name} has ${bytes.length} bytes, and ${file} says ${size}: copy the exported folder again`);
    }
    await say(`Opening ${name}…`);
    scene.add(name, bytes);
  }
  return scene;
}
