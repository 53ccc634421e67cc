// FBX as GLB, by a program of its own, which is loaded for such a file alone and works off the thread that draws.

const MARKS = ["Kaydara FBX Binary", "; FBX", "FBXHeaderExtension"]; // starts of binary and text files
const GLB = "glTF";

// True for a file of FBX, by its start or else its name.
export function isFbx(name, bytes) {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64)).replace(/^\u00ef\u00bb\u00bf/, "").trimStart();
  return MARKS.some((mark) => head.startsWith(mark)) || (/\.fbx$/i.test(name) && !head.startsWith(GLB));
}

// Converts a file: its GLB, and notes of what was changed. `say` shows what is being done. Fails with one line.
export async function convert(name, bytes, say) {
  await say("Loading the FBX reader…");
  // Its memory goes with it.
  const worker = new Worker(new URL("fbx_worker.js", import.meta.url), { type: "module" });
  try {
    return await new Promise((done, fail) => {
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(`The FBX reader cannot be loaded${event.message ? `: ${event.message}` : ""}.`));
      };
      worker.onmessage = ({ data }) => {
        if (data.ready) say(`Converting ${name}…`);
        else if (data.failed) fail(new Error(data.failed));
        else done(data);
      };
      worker.postMessage({ name, bytes });
    });
  } finally {
    worker.terminate();
  }
}
