// Point of a surface that a host's surface shader lights: input of `surface_radiance`. Colours are linear. Positions and
// directions are in world space (Y up, m). Directions have length 1.

struct SurfacePoint {
    // position (m)
    world: vec3<f32>,
    // shading normal on the viewer's side, with the normal map
    normal: vec3<f32>,
    // the same normal without the normal map
    geometric_normal: vec3<f32>,
    // direction to the eye
    view: vec3<f32>,
    // first texture coordinates
    uv: vec2<f32>,
    // base colour after texture, vertex colour and tint, 0 to 1
    base_color: vec3<f32>,
    // tint word of the instance: six bits each for skin, hair, cloth and trim, from bit 0 on; higher bits are throng's
    tint: u32,
    // 0 to 1
    metallic: f32,
    // 0 to 1
    roughness: f32,
    // share of the ambient light that arrives, 0 to 1
    occlusion: f32,
    // radiance that the surface emits
    emissive: vec3<f32>,
    // true if the material shows its base colour without light
    unlit: bool,
    // share of the sun that the shadow map lets through: 0 shadow, 1 lit
    sun_visibility: f32,
    // direction to the sun
    sun_direction: vec3<f32>,
    // irradiance on a surface that faces the sun
    sun_irradiance: vec3<f32>,
    // radiance from straight above
    ambient_above: vec3<f32>,
    // radiance from straight below
    ambient_below: vec3<f32>,
}
