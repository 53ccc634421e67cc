// What every pass knows of the rendered frame. Mirrored by render/frame.rs.

struct FrameUniforms {
    projection_from_world: mat4x4<f32>,
    world_from_projection: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,
    // xyz: camera, metres; w: linear exposure factor
    eye_exposure: vec4<f32>,
    // xyz: unit vector towards the sun; w: sun irradiance
    sun: vec4<f32>,
    // x: shadow map on (1) or off (0), y: texel size of the map in uv, z: world metres per map,
    // w: ground pattern (0 plaza, 1 grass, 2 grid)
    shadow_ground: vec4<f32>,
    // whole seconds; fraction in 1/65536 s; bit 0: interpolate frames; unused
    time: vec4<u32>,
}

@group(0) @binding(0) var<uniform> frame: FrameUniforms;
