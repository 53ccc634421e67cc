// Entries of draw lists, which draws read as an attribute per instance: instance | LOD << 28.

const ID_LOD_SHIFT = 28u;
const ID_MASK = 0x0fffffffu;

fn listed_id(instance: u32, lod: u32) -> u32 {
    return instance | (lod << ID_LOD_SHIFT);
}

fn listed_instance(id: u32) -> u32 {
    return id & ID_MASK;
}

fn listed_lod(id: u32) -> u32 {
    return id >> ID_LOD_SHIFT;
}

// Colours of the LOD view: full detail is white, coarser LODs go from green to blue.
fn lod_color(lod: u32) -> vec3<f32> {
    var hues = array<vec3<f32>, 8>(
        vec3<f32>(0.8, 0.8, 0.8),
        vec3<f32>(0.05, 0.6, 0.1),
        vec3<f32>(0.6, 0.65, 0.03),
        vec3<f32>(0.85, 0.3, 0.02),
        vec3<f32>(0.75, 0.03, 0.05),
        vec3<f32>(0.6, 0.03, 0.45),
        vec3<f32>(0.2, 0.05, 0.8),
        vec3<f32>(0.02, 0.35, 0.85),
    );
    return hues[min(lod, 7u)];
}
