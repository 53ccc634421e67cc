//! Writes ASCII FBX 7.4: hierarchy, meshes, skins, blend shapes, materials and curves.

use std::fmt::Write;

/// Ticks of FBX in a second.
const SECOND: i64 = 46_186_158_000;

/// An FBX file under construction; objects are referred to by their ids.
#[derive(Default)]
pub struct Fbx {
    objects: String,
    connections: String,
    last: i64,
}

/// Axes and unit of a file.
#[derive(Clone, Copy)]
pub enum Space {
    /// Y up, metres.
    Metres,
    /// Y up, centimetres, as Mixamo's files.
    Centimetres,
    /// Z up, facing -Y, centimetres, as files of 3ds Max.
    Max,
}

/// Vertices that a bone moves.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    pub bone: i64,
    pub vertices: &'a [i64],
    pub weights: &'a [f64],
    /// Translation of the bone at bind time.
    pub at: [f64; 3],
}

fn numbers<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let list: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("*{} {{ a: {} }}", list.len(), list.join(","))
}

impl Fbx {
    /// Adds an object of a class such as `Model`; returns its id.
    pub fn object(&mut self, class: &str, name: &str, kind: &str, body: &str) -> i64 {
        self.last += 1;
        let prefix = match (class, kind) {
            ("Deformer", "Skin" | "BlendShape") => "Deformer",
            ("Deformer", _) => "SubDeformer",
            ("AnimationStack", _) => "AnimStack",
            ("AnimationLayer", _) => "AnimLayer",
            ("AnimationCurveNode", _) => "AnimCurveNode",
            ("AnimationCurve", _) => "AnimCurve",
            _ => class,
        };
        let id = self.last;
        writeln!(
            self.objects,
            "{class}: {id}, \"{prefix}::{name}\", \"{kind}\" {{\n{body}\n}}"
        )
        .expect("a string");
        id
    }

    /// Connects an object to its owner; 0 is the scene.
    pub fn connect(&mut self, object: i64, owner: i64) {
        writeln!(self.connections, "C: \"OO\",{object},{owner}").expect("a string");
    }

    /// Connects an object to a property of its owner.
    pub fn connect_property(&mut self, object: i64, owner: i64, property: &str) {
        writeln!(self.connections, "C: \"OP\",{object},{owner}, \"{property}\"").expect("a string");
    }

    /// Adds a node below another with properties such as `("Lcl Translation", [0.0, 1.0, 0.0])`.
    pub fn node(&mut self, name: &str, kind: &str, parent: i64, properties: &[(&str, [f64; 3])]) -> i64 {
        let mut body = String::from("Version: 232\nProperties70: {\n");
        for (property, [x, y, z]) in properties {
            writeln!(body, "P: \"{property}\", \"Vector3D\", \"Vector\", \"A\",{x},{y},{z}").expect("a string");
        }
        body.push('}');
        let id = self.object("Model", name, kind, &body);
        self.connect(id, parent);
        id
    }

    /// Adds a mesh of quads to a node; `layers` is further text, such as texture coordinates.
    pub fn mesh(&mut self, node: i64, vertices: &[[f64; 3]], quads: &[[i64; 4]], layers: &str) -> i64 {
        let corners = quads.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, -d - 1]);
        let body = format!(
            "Vertices: {}\nPolygonVertexIndex: {}\nGeometryVersion: 124\n{layers}",
            numbers(vertices.iter().flatten()),
            numbers(corners)
        );
        let id = self.object("Geometry", "Mesh", "Mesh", &body);
        self.connect(id, node);
        id
    }

    /// Adds a skin to a mesh.
    pub fn skin(&mut self, mesh: i64, clusters: &[Cluster<'_>]) {
        let skin = self.object("Deformer", "", "Skin", "Version: 101");
        self.connect(skin, mesh);
        for Cluster {
            bone,
            vertices,
            weights,
            at,
        } in clusters
        {
            let moved = |[x, y, z]: [f64; 3]| {
                numbers([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0])
            };
            let body = format!(
                "Version: 100\nIndexes: {}\nWeights: {}\nTransform: {}\nTransformLink: {}",
                numbers(*vertices),
                numbers(*weights),
                moved(at.map(|value| -value)),
                moved(*at)
            );
            let cluster = self.object("Deformer", "", "Cluster", &body);
            self.connect(cluster, skin);
            self.connect(*bone, cluster);
        }
    }

    /// Adds a blend shape to a mesh, as displacements of vertices; returns the channel.
    pub fn blend_shape(&mut self, mesh: i64, name: &str, moved: &[(i64, [f64; 3])]) -> i64 {
        let deformer = self.object("Deformer", "", "BlendShape", "Version: 100");
        let channel = self.object(
            "Deformer",
            name,
            "BlendShapeChannel",
            "Version: 100\nDeformPercent: 0\nFullWeights: *1 { a: 100 }",
        );
        let body = format!(
            "Indexes: {}\nVertices: {}",
            numbers(moved.iter().map(|(vertex, _)| *vertex)),
            numbers(moved.iter().flat_map(|(_, offset)| *offset))
        );
        let shape = self.object("Geometry", name, "Shape", &body);
        self.connect(deformer, mesh);
        self.connect(channel, deformer);
        self.connect(shape, channel);
        channel
    }

    /// Adds a stack that lasts some seconds; returns its first layer.
    pub fn stack(&mut self, name: &str, seconds: f64) -> i64 {
        let stop = (seconds * SECOND as f64) as i64;
        let body = format!("Properties70: {{\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",{stop}\n}}");
        let stack = self.object("AnimationStack", name, "", &body);
        self.layer(stack)
    }

    /// Adds a layer to a stack.
    pub fn layer(&mut self, stack: i64) -> i64 {
        let layer = self.object("AnimationLayer", "Base", "", "");
        self.connect(layer, stack);
        layer
    }

    /// Adds a curve of (s, value) keys, linear between them, for an axis of a property: `("Lcl Rotation", "d|X")`.
    pub fn curve(&mut self, layer: i64, object: i64, (property, axis): (&str, &str), keys: &[(f64, f64)]) {
        let node = self.object(
            "AnimationCurveNode",
            "T",
            "",
            &format!("Properties70: {{\nP: \"{axis}\", \"Number\", \"\", \"A\",0\n}}"),
        );
        self.connect(node, layer);
        self.connect_property(node, object, property);
        let body = format!(
            "Default: 0\nKeyVer: 4008\nKeyTime: {}\nKeyValueFloat: {}\nKeyAttrFlags: *1 {{ a: 4 }}\nKeyAttrDataFloat: *4 \
             {{ a: 0,0,0,0 }}\nKeyAttrRefCount: *1 {{ a: {} }}",
            numbers(keys.iter().map(|key| (key.0 * SECOND as f64) as i64)),
            numbers(keys.iter().map(|key| key.1)),
            keys.len()
        );
        let curve = self.object("AnimationCurve", "", "", &body);
        self.connect_property(curve, node, axis);
    }

    /// The file.
    #[must_use]
    pub fn finish(&self, space: Space) -> Vec<u8> {
        // Up, front and right axis, each with its sign.
        let (axes, unit) = match space {
            Space::Metres => ([1, 1, 2, 1, 0, 1], 100),
            Space::Centimetres => ([1, 1, 2, 1, 0, 1], 1),
            Space::Max => ([2, 1, 1, -1, 0, 1], 1),
        };
        let names = [
            "UpAxis",
            "UpAxisSign",
            "FrontAxis",
            "FrontAxisSign",
            "CoordAxis",
            "CoordAxisSign",
        ];
        let axes: String = names
            .iter()
            .zip(axes)
            .map(|(name, value)| format!("P: \"{name}\", \"int\", \"Integer\", \"\",{value}\n"))
            .collect();
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\nGlobalSettings: \
             {{\nVersion: 1000\nProperties70: {{\n{axes}P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{unit}\nP: \
             \"TimeMode\", \"enum\", \"\", \"\",6\n}}\n}}\nObjects: {{\n{}}}\nConnections: {{\n{}}}\n",
            self.objects, self.connections
        )
        .into_bytes()
    }
}

/// Corners of a box.
#[must_use]
pub fn box_corners([x, y, z]: [f64; 3], [width, height, depth]: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8)
        .map(|corner| {
            let side = |bit: u32| f64::from(corner >> bit & 1);
            [x + width * side(0), y + height * side(1), z + depth * side(2)]
        })
        .collect()
}

/// Sides of a box whose corners are those of [`box_corners`].
pub const BOX: [[i64; 4]; 6] = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
];
