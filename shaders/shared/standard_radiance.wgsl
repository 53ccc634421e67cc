// Throng's own lighting, for surface shaders of hosts.

import package::shared::light::shade;
import package::shared::surface_point::SurfacePoint;

// Radiance of a point as throng lights it: metallic-roughness BRDF. Sun and ambient light are those of the view; only
// the sun's visibility is the point's.
fn standard_radiance(point: SurfacePoint) -> vec3<f32> {
    if point.unlit {
        return point.base_color;
    }
    return shade(
        point.base_color, point.metallic, point.roughness, point.occlusion,
        point.world, point.normal, point.sun_visibility,
    ) + point.emissive;
}
