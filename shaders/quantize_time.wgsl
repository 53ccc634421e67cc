// Quantizes the time of every instance to the nearest time step of technique preskinned: its first step, once per
// instance after animate. Attachments, picking and labels follow the quantized time. Also clears the mark bits of the
// frame before.

import package::shared::instance::{WIDTH_SCALE_MASK, pack_between, playback_between};
import package::shared::pose_steps::{
    RATE_SHIFT, requested_poses, mark_words, nearest_step, pose_marks, pose_uniforms, rate_of, rows_in_metre, step_play,
    quantized,
};

@compute @workgroup_size(64)
fn quantize_time(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    for (var word = index; word < mark_words(); word += groups.x * groups.y * 64u) {
        atomicStore(&pose_marks[word], 0u);
    }
    if index >= pose_uniforms.instance_count {
        return;
    }
    let metre = rows_in_metre(quantized[index]);
    let play = quantized[index].play;
    let between = playback_between(play);
    let from_rate = rate_of(play.x, metre);
    let from_step = nearest_step(play.x, between.x, from_rate);
    var to_rate = from_rate;
    var to_step = from_step;
    if (play.w & 0xffffu) != 0u {
        to_rate = rate_of(play.y, metre);
        to_step = nearest_step(play.y, between.y, to_rate);
    }
    requested_poses[index] = vec2<u32>(from_step, to_step) | (vec2<u32>(from_rate, to_rate) << vec2<u32>(RATE_SHIFT));
    let shown_from = step_play(from_step);
    let shown_to = step_play(to_step);
    let shown = vec2<f32>(f32(shown_from.between), f32(shown_to.between)) / 65535.0;
    quantized[index].play = vec4<u32>(
        shown_from.frames, shown_to.frames, pack_between(shown, play.z & WIDTH_SCALE_MASK), play.w,
    );
}
