// Heights of instances in the picture instead of light (condition show_heights). Each fragment writes a code of its
// height band. The codes' mean over a pixel's samples encodes the number of samples per band. Read by
// render/heights.rs.

import package::shared::character::character;
import package::shared::frame::frame;
import package::shared::instance::{Posed, posed_scale};

// Height bands, each twice as tall as the one before; the first is below 2^LEAST_BAND sample rows.
const HEIGHT_BANDS = 8u;
const LEAST_BAND = 3u;
// Bands per channel; their codes are powers of five, so that up to four samples of each are separable.
const BANDS_OF_CHANNEL = 4u;

// Height (sample rows) of an upright instance, whatever clip it plays.
@if(technique_matrix)
fn height_in_rows(p: Posed) -> f32 {
    let tall = character.position_scale.y * character.unit_half_extent * posed_scale(p);
    let middle = bitcast<vec3<f32>>(p.place.xyz) + vec3<f32>(0.0, 0.5 * tall, 0.0);
    let rows = transpose(frame.projection_from_world);
    let distance = max(dot(rows[3].xyz, middle) + rows[3].w, 1e-6);
    return min(0.5 * frame.sample_rows * length(rows[1].xyz) * tall / distance, 65535.0);
}

@if(technique_matrix)
fn height_code(p: Posed) -> vec4<f32> {
    let bits = i32(firstLeadingBit(u32(height_in_rows(p))));
    let band = u32(clamp(bits + 1 - i32(LEAST_BAND), 0, i32(HEIGHT_BANDS) - 1));
    var codes = array<f32, 4>(1.0, 5.0, 25.0, 125.0);
    let code = codes[band % BANDS_OF_CHANNEL];
    return select(vec4<f32>(0.0, code, 0.0, 1.0), vec4<f32>(code, 0.0, 0.0, 1.0), band < BANDS_OF_CHANNEL);
}

// Attachments and scenery occlude people but have no height band.
@if(!technique_matrix)
fn height_code(p: Posed) -> vec4<f32> {
    return vec4<f32>(0.0, 0.0, 0.0, 1.0);
}
