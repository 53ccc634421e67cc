// Background in compute, and the resolve of samples to one colour per pixel. With `sw_raster` samples come from the
// software rasterizer's visibility buffer, with `drawn` from the hardware rasterizer, or from both. Ground and sky are
// shaded at most once a pixel by the functions of ground.wgsl and sky.wgsl. Depths are compared per sample, as in
// composite.wgsl. Writes linear, scene-referred colour.

import package::shared::edges::sample_place;
import package::shared::frame::frame;
import package::shared::ground_point::{ground_ahead, ground_at, ray_through};
import package::shared::light::shade;
import package::shared::paving::{GROUND_STUDIO, ground_color, studio_background, studio_floor};
import package::shared::raster::{PixelWords, RasterUniforms, SAMPLES, key_depth, pixel_words};
import package::shared::sky::{aerial, clouds, distant_hills, sky_color, slope, sun_disc};

@if(sw_raster) @group(1) @binding(0) var<uniform> background_raster: RasterUniforms;
// Low and high words of the visibility buffer: two samples per element where pixels have several.
@if(sw_raster && multisampled) @group(1) @binding(1) var<storage, read> background_visibility: array<vec4<u32>>;
@if(sw_raster && !multisampled) @group(1) @binding(1) var<storage, read> background_visibility: array<vec2<u32>>;
@if(sw_raster && multisampled) @group(1) @binding(2) var<storage, read> background_colors: array<vec4<u32>>;
@if(sw_raster && !multisampled) @group(1) @binding(2) var<storage, read> background_colors: array<vec2<u32>>;
@group(1) @binding(3) var shown_color: texture_storage_2d<rgba16float, write>;
@if(drawn && multisampled) @group(1) @binding(4) var drawn_depth: texture_multisampled_2d<f32>;
@if(drawn && !multisampled) @group(1) @binding(4) var drawn_depth: texture_2d<f32>;
// With one sample the colour target already holds these colours.
@if(drawn && multisampled) @group(1) @binding(5) var drawn_color: texture_multisampled_2d<f32>;

// Footprint of a pixel (m) where one of its neighbours shows no ground.
const ENDLESS_PIXEL = 1e3; // shader only

fn picture_size() -> vec2<u32> {
    @if(sw_raster) return background_raster.size;
    @if(!sw_raster) return textureDimensions(shown_color);
}

fn picture_samples() -> u32 {
    @if(!sw_raster && multisampled) return textureNumSamples(drawn_depth);
    @if(sw_raster || !multisampled) return SAMPLES;
}

// Visibility words, or colours, of all samples of a pixel.
@if(sw_raster)
fn background_pixel(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(background_visibility[2u * pixel], background_visibility[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(background_visibility[pixel]);
}

@if(sw_raster)
fn pixel_colors(pixel: u32) -> PixelWords {
    @if(multisampled) return pixel_words(background_colors[2u * pixel], background_colors[2u * pixel + 1u]);
    @if(!multisampled) return pixel_words(background_colors[pixel]);
}

fn ray_at(place: vec2<f32>) -> vec3<f32> {
    return ray_through(place, picture_size());
}

// Rays of a 2x2 quad at its first pixel: graphics pipelines take derivatives there for all four.
fn square_of(pixel: vec2<u32>) -> array<vec3<f32>, 3> {
    let corner = vec2<f32>(pixel & vec2<u32>(0xfffffffeu)) + 0.5;
    return array<vec3<f32>, 3>(
        ray_at(corner), ray_at(corner + vec2<f32>(1.0, 0.0)), ray_at(corner + vec2<f32>(0.0, 1.0)),
    );
}

// Footprint of a pixel on the ground (m).
fn ground_pixel(pixel: vec2<u32>) -> f32 {
    let square = square_of(pixel);
    let corner = ground_at(square[0]);
    let right = ground_at(square[1]);
    let below = ground_at(square[2]);
    if min(corner.depth, min(right.depth, below.depth)) < 0.0 {
        return ENDLESS_PIXEL;
    }
    return max(length(right.place - corner.place), length(below.place - corner.place));
}

// Colour of the ground: as ground_fragment of ground.wgsl.
fn ground_seen(pixel: vec2<u32>, ray: vec3<f32>) -> vec3<f32> {
    let place = ground_ahead(ray);
    let base = ground_color(place, ground_pixel(pixel));
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let world = vec3<f32>(place.x, 0.0, place.y);
    @if(simple) let color = shade(base, 0.0, 0.92, 1.0, world, up, vec3<f32>(0.0));
    @if(!simple) let color = shade(base, 0.0, 0.92, 1.0, world, up, up);
    if frame.ground == GROUND_STUDIO {
        let direction = normalize(world - frame.eye);
        return mix(studio_background(direction), color, studio_floor(direction));
    }
    return aerial(color, world);
}

// Colour of the sky: as sky_fragment of sky.wgsl.
fn sky_seen(pixel: vec2<u32>, ray: vec3<f32>) -> vec3<f32> {
    let direction = normalize(ray);
    if frame.ground == GROUND_STUDIO {
        return studio_background(direction);
    }
    let square = square_of(pixel);
    let corner = slope(normalize(square[0]));
    let right = slope(normalize(square[1]));
    let below = slope(normalize(square[2]));
    let softness = abs(right - corner) + abs(below - corner);
    @if(simple) let sky = sky_color(direction) + sun_disc(direction);
    @if(!simple) let sky = clouds(direction, sky_color(direction) + sun_disc(direction));
    return distant_hills(direction, softness, sky);
}

fn depth_of(pixel: vec2<u32>, number: u32) -> f32 {
    @if(!drawn) return 0.0;
    @if(drawn && multisampled) return textureLoad(drawn_depth, pixel, i32(number)).r;
    @if(drawn && !multisampled) return textureLoad(drawn_depth, pixel, 0).r;
}

@compute @workgroup_size(8, 8)
fn show_background(@builtin(global_invocation_id) at: vec3<u32>) {
    let pixel = at.xy;
    let size = picture_size();
    if any(pixel >= size) {
        return;
    }
    let samples = picture_samples();
    @if(sw_raster) let words = background_pixel(pixel.y * size.x + pixel.x);
    @if(sw_raster) let colors = pixel_colors(pixel.y * size.x + pixel.x);
    var color_sum = vec3<f32>(0.0);
    var ground_samples = 0.0;
    var sky_samples = 0.0;
    var sw_raster_samples = 0.0;
    for (var number = 0u; number < samples; number++) {
        var depth = depth_of(pixel, number);
        var is_sw_raster = false;
        @if(sw_raster) {
            let key = words.high[number];
            // Draw order decides between equal depths: people first, then the ground.
            is_sw_raster = key != 0u && key_depth(key) >= depth;
            depth = select(depth, key_depth(key), is_sw_raster);
        }
        let place = vec2<f32>(vec2<i32>(pixel) * 256 + sample_place(number, samples)) / 256.0;
        let below = ground_at(ray_at(place));
        if below.depth >= depth {
            ground_samples += 1.0;
        } else if depth <= 0.0 {
            sky_samples += 1.0;
        } else if is_sw_raster {
            @if(sw_raster) {
                color_sum += vec3<f32>(unpack2x16float(colors.low[number]), unpack2x16float(colors.high[number]).x);
            }
            sw_raster_samples += 1.0;
        } else {
            @if(drawn && multisampled) color_sum += textureLoad(drawn_color, pixel, i32(number)).rgb;
        }
    }
    let background_samples = ground_samples + sky_samples;
    @if(drawn && !multisampled) {
        // No background and no software-rasterized sample: the colour target is final.
        if background_samples + sw_raster_samples == 0.0 {
            return;
        }
    }
    let ray = ray_at(vec2<f32>(pixel) + 0.5);
    if ground_samples > 0.0 {
        color_sum += ground_samples * ground_seen(pixel, ray);
    }
    if sky_samples > 0.0 {
        color_sum += sky_samples * sky_seen(pixel, ray);
    }
    textureStore(shown_color, pixel, vec4<f32>(color_sum / f32(samples), 1.0));
}
