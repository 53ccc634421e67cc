// The FBX reader, off the thread that draws.

const text = (error) => String(error?.message ?? error);

// The reader's functions. Loaded here, so that a missing file is an error that one can word.
async function load() {
  try {
    const reader = await import("./throng_web_fbx.js");
    await reader.default();
    return reader;
  } catch (error) {
    throw new Error(`The FBX reader cannot be loaded: ${text(error)}`);
  }
}

function converted(reader, name, bytes) {
  try {
    const file = new reader.Converted(name, bytes);
    return { glb: file.glb(), notes: file.notes() };
  } catch (error) {
    // It ran out of memory, or of its stack.
    if (error instanceof WebAssembly.RuntimeError) {
      throw new Error(`${name}: the FBX reader stopped (${text(error)}); convert it with throng bake, or export a GLB`);
    }
    throw error;
  }
}

self.onmessage = async ({ data: { name, bytes } }) => {
  try {
    const reader = await load();
    self.postMessage({ ready: true });
    const { glb, notes } = converted(reader, name, bytes);
    self.postMessage({ glb, notes }, [glb.buffer]);
  } catch (error) {
    self.postMessage({ failed: text(error) });
  }
};
