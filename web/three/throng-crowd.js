// Crowds in three.js from the files of `throng export`: NAME.json, NAME.ktx2 and NAME.glb. Each person is an instance; the
// vertex shader reads the matrices of two frames of one or two clips and skins. For WebGPURenderer, which also draws by
// WebGL 2.
//
//   import { Crowd, loadCharacter } from "./throng-crowd.js";
//   const crowd = new Crowd(await loadCharacter("out/man.json"), 1000);
//   scene.add(crowd);
//   crowd.place(0, { position: [0, 0, 2], yaw: 1.5 });
//   crowd.play(0, "walk", { at: 0 });
//   crowd.play(0, "wave", { at: 4, fade: 0.3 });
//   crowd.update(seconds);                     // before each frame

import {
  ClampToEdgeWrapping, DataTexture, DynamicDrawUsage, FloatType, Group, HalfFloatType, InstancedBufferGeometry,
  InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, MeshStandardNodeMaterial, NearestFilter, NoColorSpace,
  RGBAFormat, UnsignedByteType, Vector4,
} from "three/webgpu";
import {
  Fn, If, attribute, cos, cross, dot, float, int, ivec2, mix, normalLocal, positionLocal, sin, textureLoad, uniform, vec3,
} from "three/tsl";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

// Times of frames are shares of the clip in these steps.
const STEPS = 1 << 24;
// Formats of the atlas: type of the texture, array of its texels, Vulkan's number of the format.
const FORMATS = {
  f32: { type: FloatType, array: Float32Array, vulkan: 109 },
  f16: { type: HalfFloatType, array: Uint16Array, vulkan: 97 },
  unorm8: { type: UnsignedByteType, array: Uint8Array, vulkan: 37 },
};
const SUPPORTED = { versions: [1, 2], influences: 4 };
// Numbers of a person: ground point (m) and heading; scale, width, weight of the clip that plays, below 0 for nobody; low
// frame, high frame, share between them, of the clip that plays and of the one that it fades from. They lie in one buffer,
// since WebGPU allows eight, and a textured mesh takes six.
const PERSON = { placement: [0, 4], shape: [4, 3], frames: [7, 3], before: [10, 3] };
const PERSON_SIZE = 13;

// Loads a character by the address of its JSON; its other files lie beside it. `level` is 0 for the full mesh, and higher
// for coarser ones.
export async function loadCharacter(address, { level = 0 } = {}) {
  const facts = await (await fetched(address)).json();
  const format = FORMATS[facts.atlas?.format];
  if (!SUPPORTED.versions.includes(facts.version)) throw new Error(`${address}: version ${facts.version} is not known`);
  if (!format) throw new Error(`${address}: ${facts.atlas.format} is not supported; export with --format f16`);
  if ((facts.influences ?? SUPPORTED.influences) > SUPPORTED.influences)
    throw new Error(`${address}: vertices with ${facts.influences} influences are not supported`);
  if (facts.morphs) throw new Error(`${address}: morph targets are not supported`);
  const beside = (ending) => address.replace(/\.json$/, ending);
  const texels = texelsOf(await (await fetched(beside(".ktx2"))).arrayBuffer(), format, facts.texture, beside(".ktx2"));
  const gltf = await new GLTFLoader().loadAsync(beside(".glb"));
  const meshes = await meshesOf(gltf, level);
  return { name: facts.character, facts, atlas: textureOf(texels, format, facts.texture), meshes };
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return answer;
}

// Texels of an uncompressed KTX2 file of one level.
function texelsOf(buffer, format, size, name) {
  const view = new DataView(buffer);
  const word = (at) => view.getUint32(at, true);
  const is = view.byteLength > 104 && word(0) === 0x58544bab && word(12) === format.vulkan;
  if (!is || word(20) !== size.width || word(24) !== size.height || word(44) !== 0)
    throw new Error(`${name}: not the uncompressed texture that the JSON describes`);
  const [first, length] = [80, 88].map((at) => Number(view.getBigUint64(at, true)));
  return new format.array(buffer.slice(first, first + length));
}

function textureOf(texels, format, { width, height }) {
  const texture = new DataTexture(texels, width, height, RGBAFormat, format.type);
  Object.assign(texture, {
    minFilter: NearestFilter, magFilter: NearestFilter, wrapS: ClampToEdgeWrapping, wrapT: ClampToEdgeWrapping,
    colorSpace: NoColorSpace, generateMipmaps: false, unpackAlignment: 1, needsUpdate: true,
  });
  return texture;
}

// Geometry and material of each primitive of the full mesh, or of a coarser level (MSFT_lod).
async function meshesOf({ scene, parser }, level) {
  let root = scene;
  const nodes = parser.json.nodes ?? [];
  const levels = nodes.find((node) => node.extensions?.MSFT_lod)?.extensions.MSFT_lod.ids ?? [];
  if (level > levels.length) throw new Error(`level ${level}: the character has ${levels.length} coarser ones`);
  if (level > 0) root = await parser.getDependency("node", levels[level - 1]);
  const meshes = [];
  root.traverse((node) => node.isMesh && meshes.push({ geometry: node.geometry, material: node.material }));
  return meshes;
}

// People of one character.
export class Crowd extends Group {
  constructor(character, capacity) {
    super();
    const { clips } = character.facts;
    this.name = character.name;
    this.clips = clips.map((clip) => ({ ...clip, times: timesOf(clip) }));
    this.data = new InstancedInterleavedBuffer(new Float32Array(capacity * PERSON_SIZE), PERSON_SIZE);
    this.data.setUsage(DynamicDrawUsage);
    this.people = Array.from({ length: capacity }, () => ({ now: null, before: null, fade: 0 }));
    this.skin = skinOf(character);
    for (const mesh of character.meshes) this.add(this.#mesh(mesh, capacity));
  }

  #mesh({ geometry, material }, capacity) {
    const instanced = new InstancedBufferGeometry();
    instanced.instanceCount = capacity;
    instanced.setIndex(geometry.index);
    for (const [name, data] of Object.entries(geometry.attributes)) instanced.setAttribute(name, data);
    for (const [name, [offset, size]] of Object.entries(PERSON))
      instanced.setAttribute(name, new InterleavedBufferAttribute(this.data, size, offset));
    const own = new MeshStandardNodeMaterial();
    for (const key of ["color", "map", "roughness", "metalness", "emissive", "emissiveMap", "roughnessMap", "metalnessMap",
      "vertexColors", "side", "alphaTest", "transparent"]) if (material[key] !== undefined) own[key] = material[key];
    own.positionNode = this.skin;
    const mesh = new Mesh(instanced, own);
    // People walk anywhere: their bounds are not those of the mesh.
    mesh.frustumCulled = false;
    return mesh;
  }

  // Places a person: ground point between the feet (m), heading (rad, 0 faces +Z, positive turns towards +X), scale, and
  // width and depth relative to the height.
  place(index, { position = [0, 0, 0], yaw = 0, scale = 1, width = 1 } = {}) {
    this.#set(index, "placement", [...position, yaw]);
    this.#set(index, "shape", [scale, width]);
  }

  #set(index, name, numbers) {
    this.data.array.set(numbers, index * PERSON_SIZE + PERSON[name][0]);
    this.data.needsUpdate = true;
  }

  // Plays a clip, by name or number, from the time `at` (s) on, `start` of its length (0 to 1) ahead; it fades in within
  // `fade` seconds.
  play(index, clip, { at = 0, start = 0, speed = 1, fade = 0 } = {}) {
    const number = typeof clip === "number" ? clip : this.clips.findIndex(({ name }) => name === clip);
    if (!this.clips[number]) throw new Error(`${this.name} has no clip ${clip}`);
    const person = this.people[index];
    person.before = fade > 0 ? person.now : null;
    person.now = { clip: number, at, start, speed };
    person.fade = fade;
  }

  // Takes a person away; `place` and `play` bring one back.
  remove(index) {
    Object.assign(this.people[index], { now: null, before: null });
  }

  // Sets everybody's frames for a time (s).
  update(time) {
    this.people.forEach((person, index) => {
      const { now, fade } = person;
      const share = fade > 0 ? Math.min(Math.max((time - now?.at) / fade, 0), 1) : 1;
      if (share === 1) person.before = null;
      // Smoothstep.
      this.data.array[index * PERSON_SIZE + PERSON.shape[0] + 2] = now ? share * share * (3 - 2 * share) : -1;
      if (now) this.#set(index, "frames", this.#frames(now, time));
      if (person.before) this.#set(index, "before", this.#frames(person.before, time));
    });
    this.data.needsUpdate = true;
  }

  // Two frames of the atlas, and the share between them, of what plays at a time.
  #frames({ clip, at, start, speed }, time) {
    const { duration, firstFrame, frameCount, times, wrap } = this.clips[clip];
    const turns = start + (duration > 0 ? ((time - at) * speed) / duration : 0);
    const position = wrap === "loop" ? turns - Math.floor(turns) : Math.min(Math.max(turns, 0), 1);
    const share = Math.floor(position * STEPS);
    let [low, high] = [0, frameCount - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= share) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, frameCount - 1);
    const between = (share - times[low]) / Math.max(times[next] - times[low], 1);
    return [firstFrame + low, firstFrame + next, between];
  }

  // Frees what is on the GPU, but for the character's atlas, which other crowds may use.
  dispose() {
    for (const mesh of this.children) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

// Times of a clip's frames; evenly spaced where it has none.
function timesOf({ times, frameCount }) {
  return times ?? Array.from({ length: frameCount }, (_, i) => Math.round((i * STEPS) / Math.max(frameCount - 1, 1)));
}

// Skinned position of a vertex in the world; sets its normal, too.
function skinOf({ atlas, facts }) {
  const { framesPerRow, texelsPerMatrix } = facts.texture;
  const { slotCount, unit, decodeMin, decodeSize } = facts.atlas;
  const centre = uniform(new Vector4(...unit.centre, unit.halfExtent));
  const ranges = facts.atlas.format === "unorm8" ? [decodeMin, decodeSize] : null;
  const range = (which, row) => uniform(new Vector4(...ranges[which].slice(4 * row, 4 * row + 4)));
  const slots = attribute("skinIndex", "uvec4");
  const weights = attribute("skinWeight", "vec4");

  // One row of the matrices of a frame, weighted by the vertex's influences.
  const weighted = (frame, row) => {
    const column = frame.mod(framesPerRow).mul(slotCount);
    const y = frame.div(framesPerRow);
    const texel = (part) => {
      const x = column.add(int(slots[part])).mul(texelsPerMatrix).add(row);
      return textureLoad(atlas, ivec2(x, y)).mul(weights[part]);
    };
    const sum = texel("x").add(texel("y")).add(texel("z")).add(texel("w"));
    return ranges ? sum.mul(range(1, row)).add(range(0, row)) : sum;
  };
  // Three rows of the matrix between two frames.
  const rowsOf = (frames) =>
    [0, 1, 2].map((row) => mix(weighted(int(frames.x), row), weighted(int(frames.y), row), frames.z).toVar());

  return Fn(() => {
    const [placement, shape] = [attribute("placement", "vec4"), attribute("shape", "vec3")];
    const rows = rowsOf(attribute("frames", "vec3"));
    If(shape.z.lessThan(1), () => {
      rowsOf(attribute("before", "vec3")).forEach((row, number) => rows[number].assign(mix(row, rows[number], shape.z)));
    });
    // Matrices are in unit space: the character within about [-1, 1]^3.
    const u = positionLocal.sub(centre.xyz).div(centre.w).toVar();
    const posed = vec3(...rows.map((row) => dot(row.xyz, u).add(row.w))).mul(centre.w).add(centre.xyz);
    // Normals follow the cofactor matrix.
    const [a, b, c] = rows.map((row) => row.xyz);
    const n = normalLocal.toVar();
    const normal = vec3(dot(cross(b, c), n), dot(cross(c, a), n), dot(cross(a, b), n));
    const size = vec3(shape.x.mul(shape.y), shape.x, shape.x.mul(shape.y));
    const turned = (v) => {
      const [s, t] = [sin(placement.w), cos(placement.w)];
      return vec3(v.x.mul(t).add(v.z.mul(s)), v.y, v.z.mul(t).sub(v.x.mul(s)));
    };
    normalLocal.assign(turned(normal.div(size)).normalize());
    // People who are away shrink to a point far below the ground.
    const away = vec3(0, float(-1e6), 0);
    return shape.z.lessThan(0).select(away, turned(posed.mul(size)).add(placement.xyz));
  })();
}
