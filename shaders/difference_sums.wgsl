// Distance of two pictures of one size, in 1/255 of display values. Each row of pixels gets the sum over red, green and
// blue, and the largest difference.

import package::shared::transfer::srgb_from_linear;

@group(0) @binding(0) var left_picture: texture_2d<f32>;
@group(0) @binding(1) var right_picture: texture_2d<f32>;
// (sum, largest) per row; a row of 16,384 pixels sums to 12.5 million at most, which fits 32 bits
@group(0) @binding(2) var<storage, read_write> difference_rows: array<vec2<u32>>;

const LANES = 256u; // shader only: tests/gpu/difference.rs

var<workgroup> lane_sums: array<u32, LANES>;
var<workgroup> lane_largest: array<u32, LANES>;

fn display_steps(color: vec3<f32>) -> vec3<i32> {
    var display = color;
    @if(srgb_target) display = srgb_from_linear(color);
    return vec3<i32>(round(display * 255.0));
}

@compute @workgroup_size(LANES)
fn difference_sums(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let size = textureDimensions(left_picture);
    let row = group.x;
    var sum = 0u;
    var largest = 0u;
    for (var column = lane; column < size.x; column += LANES) {
        let pixel = vec2<u32>(column, row);
        let left = display_steps(textureLoad(left_picture, pixel, 0).rgb);
        let right = display_steps(textureLoad(right_picture, pixel, 0).rgb);
        let apart = vec3<u32>(abs(left - right));
        sum += apart.r + apart.g + apart.b;
        largest = max(largest, max(apart.r, max(apart.g, apart.b)));
    }
    lane_sums[lane] = sum;
    lane_largest[lane] = largest;
    for (var half = LANES / 2u; half > 0u; half >>= 1u) {
        workgroupBarrier();
        if lane < half {
            lane_sums[lane] += lane_sums[lane + half];
            lane_largest[lane] = max(lane_largest[lane], lane_largest[lane + half]);
        }
    }
    if lane == 0u {
        difference_rows[row] = vec2<u32>(lane_sums[0], lane_largest[0]);
    }
}
