// Test probe: skins every vertex of chosen instances into a buffer, through the functions of the crowd pass. The CPU
// compares the result in millimetres. Vertex `v` of instance `i` is row `i * vertices + v`; the buffer's length gives
// the number of vertices.

import package::shared::character::{character, model_position};
import package::shared::packed::load_vertex;
import package::shared::pose::{posed, pose_vertex};

/// One skinned vertex.
struct ProbeVertex { // shared with Rust
    /// Position (m, model space); w is 1.
    position: vec4<f32>,
    /// Normal of unit length (model space); w is 0.
    normal: vec4<f32>,
    /// Tangent of unit length (model space); w is the sign of the bitangent. All zero without normal maps.
    tangent: vec4<f32>,
}

@group(3) @binding(0) var<storage, read_write> probe_output: array<ProbeVertex>;

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let vertex_count = arrayLength(&probe_output) / max(character.instance_count, 1u);
    let index = id.x + id.y * groups.x * 64u;
    if index >= vertex_count * character.instance_count {
        return;
    }
    let instance = index / vertex_count;
    let vertex = index - instance * vertex_count;
    let unit = pose_vertex(load_vertex(vertex), vertex, instance, posed[instance].play);
    let model = model_position(unit.position);
    var found: ProbeVertex;
    found.position = vec4<f32>(model, 1.0);
    found.normal = vec4<f32>(normalize(unit.normal), 0.0);
    @if(normal_mapped) found.tangent = vec4<f32>(normalize(unit.tangent.xyz), unit.tangent.w);
    probe_output[index] = found;
}
