//! Properties of a character and of its draw that select shader code and pipeline state.

bitflags::bitflags! {
    /// Properties of a draw. Most are conditions of shaders, see [`DrawFlags::conditions`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct DrawFlags: u16 {
        /// Add morph targets in the vertex shader.
        const MORPHS = 1 << 0;
        /// Vertices have a third load: tangents, second texture coordinates and alpha.
        const EXTENDED_VERTEX = 1 << 1;
        /// Vertices have a further load: joint influences five to eight.
        const EIGHT_INFLUENCES = 1 << 2;
        /// Pose tangents and apply normal maps: a material has one, and vertices have tangents.
        const NORMAL_MAPPED = 1 << 3;
        /// Some instances are heroes with palettes of their own.
        const HEROES = 1 << 4;
        /// Instances are actors, some of whom blend a third clip.
        const ACTORS = 1 << 5;
        /// Draw only the instances in a draw list, by LOD. A list entry is an attribute per instance.
        const LISTED = 1 << 6;
        /// Sample base colour textures.
        const TEXTURED = 1 << 7;
        /// Sample metallic-roughness, occlusion and emissive textures.
        const SURFACE_MAPS = 1 << 8;
        /// Emulate wrap modes and nearest filtering of textures in the shader.
        const SAMPLER_EMULATION = 1 << 9;
        /// Alpha test: discard fragments by alpha. Some material is masked or blended.
        const ALPHA_TEST = 1 << 10;
        /// Clips mirror parts. Winding cannot distinguish front from back, and no face is culled.
        const MIRRORED = 1 << 11;
        /// Shade the full mesh flat: one normal per triangle.
        const FLAT_SHADED = 1 << 12;
        /// Do not cull faces: some material shows its back faces.
        const DOUBLE_SIDED = 1 << 13;
        /// The mesh is an attachment, placed by the attachment pass instead of animate.
        const ATTACHMENT = 1 << 14;
    }
}

impl DrawFlags {
    /// Properties that change how a vertex is posed.
    pub const POSE: Self = Self::MORPHS
        .union(Self::EXTENDED_VERTEX)
        .union(Self::EIGHT_INFLUENCES)
        .union(Self::NORMAL_MAPPED)
        .union(Self::HEROES)
        .union(Self::ACTORS)
        .union(Self::LISTED);
    /// Properties that change the look of a surface, and its alpha test and face culling.
    pub const LOOK: Self = Self::TEXTURED
        .union(Self::SURFACE_MAPS)
        .union(Self::SAMPLER_EMULATION)
        .union(Self::ALPHA_TEST)
        .union(Self::MIRRORED)
        .union(Self::FLAT_SHADED)
        .union(Self::DOUBLE_SIDED);
    /// Properties that switch face culling off.
    pub const SHOWS_BACK_FACES: Self = Self::DOUBLE_SIDED.union(Self::MIRRORED);

    /// Conditions for the shader compiler, in the order of the bits. Double-sided draws and attachments have none here.
    pub fn conditions(self) -> impl Iterator<Item = &'static str> {
        let rows = [
            (Self::MORPHS, "morphs"),
            (Self::EXTENDED_VERTEX, "extended_vertex"),
            (Self::EIGHT_INFLUENCES, "eight_influences"),
            (Self::NORMAL_MAPPED, "normal_mapped"),
            (Self::HEROES, "heroes"),
            (Self::ACTORS, "actors"),
            (Self::LISTED, "listed"),
            (Self::TEXTURED, "textured"),
            (Self::SURFACE_MAPS, "surface_maps"),
            (Self::SAMPLER_EMULATION, "sampler_emulation"),
            (Self::ALPHA_TEST, "alpha_test"),
            (Self::MIRRORED, "mirrored"),
            (Self::FLAT_SHADED, "flat_shaded"),
        ];
        rows.into_iter()
            .filter(move |(flag, _)| self.contains(*flag))
            .map(|(_, condition)| condition)
    }
}
