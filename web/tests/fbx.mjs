// Writes a person as ASCII FBX 7.4, as tests/common/fbx.rs does: two boxes on two bones that bow, purple by a texture in
// the file, and a second material whose texture is nowhere.

import { deflateSync } from "node:zlib";

const SECOND = 46_186_158_000; // ticks
const SIDES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const PREFIXES = { AnimationStack: "AnimStack", AnimationLayer: "AnimLayer", AnimationCurveNode: "AnimCurveNode",
  AnimationCurve: "AnimCurve" };

const numbers = (values) => `*${values.length} { a: ${values.join(",")} }`;
const moved = (at) => numbers([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...at, 1]);
const corners = (at, size) => Array.from({ length: 8 }, (_, corner) => at.map((one, axis) => one + size[axis] * (corner >> axis & 1)));

// Checksum of PNG.
function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

// A picture of one colour.
function png(red, green, blue) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from([0, red, green, blue]));
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([mark, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

class Fbx {
  #objects = [];
  #connections = [];

  object(kind, name, type, body = "") {
    const prefix = kind === "Deformer" && type !== "Skin" ? "SubDeformer" : PREFIXES[kind] ?? kind;
    const id = this.#objects.length + 1;
    this.#objects.push(`${kind}: ${id}, "${prefix}::${name}", "${type}" {\n${body}\n}`);
    return id;
  }

  connect(object, owner, property) {
    this.#connections.push(property ? `C: "OP",${object},${owner}, "${property}"` : `C: "OO",${object},${owner}`);
  }

  node(name, type, parent, at) {
    const place = `P: "Lcl Translation", "Vector3D", "Vector", "A",${at.join(",")}`;
    const id = this.object("Model", name, type, `Version: 232\nProperties70: {\n${place}\n}`);
    this.connect(id, parent);
    return id;
  }

  material(name, node, file, content) {
    const material = this.object("Material", name, "", 'Version: 102\nShadingModel: "lambert"');
    this.connect(material, node);
    const paths = `FileName: "C:\\work\\${file}"\nRelativeFilename: "${file}"`;
    const texture = this.object("Texture", name, "", `Type: "TextureVideoClip"\nVersion: 202\n${paths}`);
    this.connect(texture, material, "DiffuseColor");
    if (!content) return;
    const video = this.object("Video", name, "Clip", `Type: "Clip"\n${paths}\nContent: ,\n"${content.toString("base64")}"`);
    this.connect(video, texture);
  }

  text() {
    const settings = [["UpAxis", 1], ["UpAxisSign", 1], ["FrontAxis", 2], ["FrontAxisSign", 1], ["CoordAxis", 0],
      ["CoordAxisSign", 1]].map(([name, value]) => `P: "${name}", "int", "Integer", "",${value}`);
    return `; FBX 7.4.0 project file
FBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}
GlobalSettings: {\nVersion: 1000\nProperties70: {\n${settings.join("\n")}
P: "UnitScaleFactor", "double", "Number", "",1\n}\n}
Objects: {\n${this.#objects.join("\n")}\n}
Connections: {\n${this.#connections.join("\n")}\n}\n`;
  }
}

// The file's text; its person is 1.8 m tall.
export function person() {
  const fbx = new Fbx();
  const hips = fbx.node("Hips", "LimbNode", 0, [0, 100, 0]);
  const chest = fbx.node("Spine", "LimbNode", hips, [0, 40, 0]);
  const body = fbx.node("Body", "Mesh", 0, [0, 0, 0]);
  fbx.material("skin", body, "skin.png", png(230, 20, 230));
  fbx.material("coat", body, "coat.png");
  const vertices = [...corners([-30, 0, -20], [60, 100, 40]), ...corners([-30, 100, -20], [60, 80, 40])];
  const quads = [...SIDES, ...SIDES.map((side) => side.map((corner) => corner + 8))];
  const uvs = vertices.flatMap((_, at) => [at & 1, at >> 1 & 1]);
  const layer = (name, mapping, reference, values) =>
    `${name}: 0 {\nVersion: 101\nName: ""\nMappingInformationType: "${mapping}"\nReferenceInformationType: "${reference}"\n${values}\n}`;
  const used = ["LayerElementUV", "LayerElementMaterial"].map((name) => `LayerElement: {\nType: "${name}"\nTypedIndex: 0\n}`);
  const mesh = fbx.object("Geometry", "Mesh", "Mesh", [
    `Vertices: ${numbers(vertices.flat())}`,
    `PolygonVertexIndex: ${numbers(quads.flatMap(([a, b, c, d]) => [a, b, c, -d - 1]))}`,
    "GeometryVersion: 124",
    layer("LayerElementUV", "ByVertice", "Direct", `UV: ${numbers(uvs)}`),
    // The top of the head alone has the second one.
    layer("LayerElementMaterial", "ByPolygon", "IndexToDirect", `Materials: ${numbers(quads.map((_, at) => Number(at === 9)))}`),
    `Layer: 0 {\nVersion: 100\n${used.join("\n")}\n}`,
  ].join("\n"));
  fbx.connect(mesh, body);
  const skin = fbx.object("Deformer", "", "Skin", "Version: 101");
  fbx.connect(skin, mesh);
  for (const [bone, first, height] of [[hips, 0, 100], [chest, 8, 140]]) {
    const own = Array.from({ length: 8 }, (_, at) => first + at);
    const cluster = fbx.object("Deformer", "", "Cluster", `Version: 100\nIndexes: ${numbers(own)}\nWeights: ${
      numbers(own.map(() => 1))}\nTransform: ${moved([0, -height, 0])}\nTransformLink: ${moved([0, height, 0])}`);
    fbx.connect(cluster, skin);
    fbx.connect(bone, cluster);
  }
  const stack = fbx.object("AnimationStack", "bow", "", `Properties70: {\nP: "LocalStop", "KTime", "Time", "",${2 * SECOND}\n}`);
  const base = fbx.object("AnimationLayer", "Base", "");
  fbx.connect(base, stack);
  const turn = fbx.object("AnimationCurveNode", "R", "", 'Properties70: {\nP: "d|X", "Number", "", "A",0\n}');
  fbx.connect(turn, base);
  fbx.connect(turn, chest, "Lcl Rotation");
  const curve = fbx.object("AnimationCurve", "", "", `Default: 0\nKeyVer: 4008\nKeyTime: ${
    numbers([0, SECOND, 2 * SECOND])}\nKeyValueFloat: ${numbers([0, 90, 0])}\nKeyAttrFlags: *1 { a: 4 }
KeyAttrDataFloat: *4 { a: 0,0,0,0 }\nKeyAttrRefCount: *1 { a: 3 }`);
  fbx.connect(curve, turn, "d|X");
  return fbx.text();
}
