// The crowd as the sun sees it: depth only, the same pose as the crowd pass.

import package::shared::frame::frame;
import package::shared::character::load_vertex;
import package::shared::pose::{posed, pose_vertex, world_position};

@vertex
fn shadow_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> @builtin(position) vec4<f32> {
    let p = posed[instance];
    let unit = pose_vertex(load_vertex(index), index, instance, p.play);
    return frame.shadow_from_world * vec4<f32>(world_position(unit.position, p), 1.0);
}
