// Instead of light, how tall people are in the picture (condition show_heights): a number for each band of heights,
// whose mean over the samples of a pixel tells how many samples each band has. Read by render/heights.rs.

import package::shared::character::character;
import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_scale};

// Bands, each twice as tall as the one before; the first is of everyone below 2^LEAST_BAND rows.
const HEIGHT_BANDS = 8u;
const LEAST_BAND = 3u;
// Bands that a channel has; their numbers are powers of five, so that up to four samples of each can be told.
const BANDS_OF_CHANNEL = 4u;

// Height in rows of someone who stands upright, whatever they play.
@if(technique_matrix)
fn rows_tall(p: Posed) -> f32 {
    let tall = character.position_scale.y * character.unit_half_extent * posed_scale(p);
    let middle = bitcast<vec3<f32>>(p.place.xyz) + vec3<f32>(0.0, 0.5 * tall, 0.0);
    let rows = transpose(frame.projection_from_world);
    let distance = max(dot(rows[3].xyz, middle) + rows[3].w, 1e-6);
    return min(0.5 * frame.sample_rows * length(rows[1].xyz) * tall / distance, 65535.0);
}

@if(technique_matrix)
fn height_code(p: Posed) -> vec4<f32> {
    let bits = i32(firstLeadingBit(u32(rows_tall(p))));
    let band = u32(clamp(bits + 1 - i32(LEAST_BAND), 0, i32(HEIGHT_BANDS) - 1));
    var codes = array<f32, 4>(1.0, 5.0, 25.0, 125.0);
    let code = codes[band % BANDS_OF_CHANNEL];
    return select(vec4<f32>(0.0, code, 0.0, 1.0), vec4<f32>(code, 0.0, 0.0, 1.0), band < BANDS_OF_CHANNEL);
}

// What people carry, and what stands around, hides people and is nobody.
@if(!technique_matrix)
fn height_code(p: Posed) -> vec4<f32> {
    return vec4<f32>(0.0, 0.0, 0.0, 1.0);
}
