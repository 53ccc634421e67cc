// Surface shader: a host's module replaces this one (src/render/crowd/surface_shader).

import package::shared::standard_radiance::standard_radiance;
import package::shared::surface_point::SurfacePoint;

fn surface_radiance(point: SurfacePoint) -> vec3<f32> {
    return standard_radiance(point);
}
