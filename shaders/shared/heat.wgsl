// Colour map of heat maps: picture differences and overdraw. CPU twin: render/heat.rs.

// Black, violet, orange, white at 0, 1/3, 2/3, 1.
fn heat_color(heat: f32) -> vec3<f32> {
    let x = clamp(heat, 0.0, 1.0) * 3.0;
    let violet = vec3<f32>(0.55, 0.1, 0.6);
    let orange = vec3<f32>(1.0, 0.55, 0.15);
    let low = mix(vec3<f32>(0.0), violet, min(x, 1.0));
    let middle = mix(low, orange, clamp(x - 1.0, 0.0, 1.0));
    return mix(middle, vec3<f32>(1.0), clamp(x - 2.0, 0.0, 1.0));
}

// Heat of a fragment count per pixel: 1/4 for one, and 1/4 more per doubling, up to 8.
fn overdraw_heat(fragments: f32) -> f32 {
    let per_doubling = 0.25 * (1.0 + log2(max(fragments, 1.0)));
    return min(select(per_doubling, 0.25 * fragments, fragments < 1.0), 1.0);
}
