//! Surface shaders of hosts light people in every way of drawing.

use std::sync::Arc;

use glam::{Mat4, Vec3, camera::rh};
use half::f16;
use throng::{
    atlas::AtlasFormat,
    character::Character,
    config::{Effort, Raster, Technique},
    crowd::{Clock, Instance},
    gpu::{Gpu, encoder},
    render::{
        CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, DrawPath, SurfaceShader, Targets, View,
        crowd::SURFACE_SHADER,
        passes::{AovKind, DrawVariant, HOST_LIGHT, SIMPLE},
        resources::{AtlasSource, DrawFlags},
    },
};

use crate::{actors_drawn::opened, common, materials::bump, raster};

const SIZE: (u32, u32) = (96, 96);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const EYE: Vec3 = Vec3::new(0.4, 1.4, 5.0);

/// Conditions of the pipelines that are shaded by a surface shader: here `shared/surface_shader.wgsl`.
pub fn surface_shaded(variant: DrawVariant) -> Vec<(&'static str, Vec<&'static str>)> {
    let pass = "crowd";
    let with = |conditions: &[&'static str]| [&variant.features(), &[SURFACE_SHADER][..], conditions].concat();
    let mut all: Vec<_> = [&[HOST_LIGHT][..], &[], &[SIMPLE]]
        .map(|light| (pass, with(light)))
        .into();
    if variant.has(DrawFlags::LISTED) && !variant.has(DrawFlags::ALPHA_TEST) {
        all.push(("shade_visibility", with(&[HOST_LIGHT, "shadow_map_words"])));
        all.push(("shade_visibility", with(&["shadow_map_words", "multisampled"])));
    }
    all
}

/// Shader whose function has this body.
fn shader(body: &str) -> SurfaceShader {
    let text = format!("fn surface_radiance(point: SurfacePoint) -> vec3<f32> {{ {body} }}");
    SurfaceShader::new(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// Two people in front of the camera, one in the other's shadow.
fn crowd(gpu: &Gpu, options: CrowdOptions, character: Arc<Character>) -> CrowdRenderer {
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let id = crowd.add_character(character).expect("fits");
    let people = [
        Instance::new(Vec3::new(-0.2, 0.0, 0.0)).with_tint([1, 2, 3, 4]),
        Instance::new(Vec3::new(0.6, 0.0, -0.6)).with_tint([60, 50, 40, 30]),
    ];
    crowd.set_instances(id, &people).expect("fits");
    crowd
}

fn view() -> View {
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.6, 1.0, 0.1);
    View {
        size: Some(SIZE),
        shadow_focus: Some(Vec3::ZERO),
        sw_raster_max_rows: 1024,
        ..View::new(projection * rh::view::look_at_mat4(EYE, Vec3::Y, Vec3::Y), EYE)
    }
}

fn halves(bytes: &[u8]) -> Vec<[f32; 4]> {
    let texels: Vec<[f16; 4]> = bytemuck::pod_collect_to_vec(bytes);
    texels.iter().map(|texel| texel.map(f16::to_f32)).collect()
}

/// Radiance and alpha of a picture.
fn picture(gpu: &Gpu, crowd: &mut CrowdRenderer, view: &View) -> Vec<[f32; 4]> {
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, view, Clock::from_seconds(0.4));
    halves(&common::gpu::host_picture(gpu, SIZE, COLOR, encoder, |pass| {
        crowd.draw(pass)
    }))
}

/// Picture with a surface shader.
fn shaded(gpu: &Gpu, crowd: &mut CrowdRenderer, view: &View, body: &str) -> Vec<[f32; 4]> {
    crowd.set_surface_shader(Some(shader(body))).expect("compiles");
    picture(gpu, crowd, view)
}

/// Largest difference of two pictures.
fn distance(a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    let channels = a.as_flattened().iter().zip(b.as_flattened());
    channels.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn is_covered(texel: &[f32; 4]) -> bool {
    texel[3] > 0.5
}

/// Colour of every texel that somebody covers; there are some.
fn covered(picture: &[[f32; 4]]) -> Vec<[f32; 3]> {
    let covered = picture.iter().filter(|texel| is_covered(texel));
    let covered: Vec<[f32; 3]> = covered.map(|&[r, g, b, _]| [r, g, b]).collect();
    assert!(covered.len() > 200, "{} texels", covered.len());
    covered
}

fn with_shadows() -> CrowdOptions {
    CrowdOptions {
        shadow_size: 256,
        ..CrowdOptions::default()
    }
}

#[test]
fn fields_of_a_point_are_those_of_the_outputs() {
    let Some(gpu) = common::gpu::open() else { return };
    let bumps = common::gpu::bake(bump("bump", [false; 2], 1.0));
    for (character, textured) in [(opened("man"), false), (bumps, true)] {
        let mut crowd = crowd(&gpu, CrowdOptions::default(), character);
        let kinds = [AovKind::Normal, AovKind::Albedo, AovKind::Uv];
        crowd.prepare_outputs(&kinds).expect("compiles");
        for (kind, field) in kinds.into_iter().zip(["normal", "base_color", "uv"]) {
            let body = match kind {
                AovKind::Uv => "return vec3<f32>(point.uv, 0.0);".to_owned(),
                _ => format!("return point.{field};"),
            };
            let own = shaded(&gpu, &mut crowd, &view(), &body);
            let mut encoder = encoder(&gpu, "output");
            crowd.prepare(&mut encoder, &view(), Clock::from_seconds(0.4));
            let bytes = common::gpu::host_picture(&gpu, SIZE, kind.format(), encoder, |pass| {
                crowd.draw_output(pass, kind, SIZE, None);
            });
            let output: Vec<[f32; 4]> = match kind {
                AovKind::Uv => {
                    let texels: Vec<[f32; 2]> = bytemuck::pod_collect_to_vec(&bytes);
                    texels.iter().map(|&[u, v]| [u, v, 0.0, 0.0]).collect()
                }
                _ => halves(&bytes),
            };
            let mut count = 0;
            for (own, output) in own.iter().zip(&output).filter(|(own, _)| is_covered(own)) {
                let apart = (0..3).map(|channel: usize| (own[channel] - output[channel]).abs());
                assert!(apart.fold(0.0, f32::max) < 2e-3, "{field}: {own:?} {output:?}");
                count += usize::from(output[..3] != [0.0; 3]);
            }
            // The man has no texture.
            let lacks_uv = kind == AovKind::Uv && !textured;
            assert!(count > 200 || lacks_uv, "{field}: {count} texels");
        }
    }
}

#[test]
fn the_other_fields_are_those_of_the_view_and_of_the_instances() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = crowd(&gpu, with_shadows(), opened("man"));
    let mut view = view();
    view.light.sun_color = Vec3::new(0.5, 0.25, 0.125);
    view.light.sun.irradiance = 2.0;
    view.light.ambient_above = Vec3::new(0.25, 0.5, 0.75);
    view.light.ambient_below = Vec3::new(0.75, 0.25, 0.5);
    let sun = view.light.sun.direction;
    let mut shows = |field: &str, wanted: [f32; 3]| {
        for own in covered(&shaded(&gpu, &mut crowd, &view, &format!("return {field};"))) {
            let apart = own.iter().zip(wanted).map(|(own, wanted)| (own - wanted).abs());
            assert!(apart.fold(0.0, f32::max) < 1e-3, "{field}: {own:?} {wanted:?}");
        }
    };
    shows("point.sun_direction", sun.to_array());
    shows("point.sun_irradiance", [1.0, 0.5, 0.25]);
    shows("point.ambient_above", [0.25, 0.5, 0.75]);
    shows("point.ambient_below", [0.75, 0.25, 0.5]);
    shows(
        "vec3<f32>(length(point.view), length(point.normal), length(point.geometric_normal))",
        [1.0; 3],
    );
    let eye = format!("vec3<f32>({}, {}, {})", EYE.x, EYE.y, EYE.z);
    shows(
        &format!("vec3<f32>(length(normalize({eye} - point.world) - point.view))"),
        [0.0; 3],
    );
    shows("vec3<f32>(f32(point.unlit))", [0.0; 3]);
    // Six bits for skin, hair and cloth each.
    let tint = |shift: u32| format!("f32((point.tint >> {shift}u) & 63u)");
    let tints = format!("return vec3<f32>({}, {}, {});", tint(0), tint(6), tint(12));
    let colors = covered(&shaded(&gpu, &mut crowd, &view, &tints));
    assert!(
        colors
            .iter()
            .all(|color| [[1.0, 2.0, 3.0], [60.0, 50.0, 40.0]].contains(color)),
        "{colors:?}"
    );
    assert!(colors.contains(&[1.0, 2.0, 3.0]) && colors.contains(&[60.0, 50.0, 40.0]));
    // Exposure follows.
    view.light.exposure = 2.0;
    let twice = covered(&shaded(&gpu, &mut crowd, &view, "return vec3<f32>(0.25, 0.5, 1.0);"));
    assert!(twice.iter().all(|&color| color == [0.5, 1.0, 2.0]));
}

#[test]
fn the_sun_is_hidden_in_shadows_alone() {
    let Some(gpu) = common::gpu::open() else { return };
    let sharp = CrowdOptions {
        shadow_size: 2048,
        ..CrowdOptions::default()
    };
    let mut crowd = crowd(&gpu, sharp, opened("man"));
    let shares = "return vec3<f32>(point.sun_visibility);";
    let count = |picture: &[[f32; 4]], share: f32| covered(picture).iter().filter(|c| c[0] == share).count();
    let cast = shaded(&gpu, &mut crowd, &view(), shares);
    let counts = [count(&cast, 0.0), count(&cast, 1.0)];
    assert!(
        counts[0] > 20 && counts[1] > 200,
        "{counts:?} of {}",
        covered(&cast).len()
    );
    let none = View {
        shadow_focus: None,
        ..view()
    };
    let none = shaded(&gpu, &mut crowd, &none, shares);
    assert_eq!(count(&none, 1.0), covered(&none).len());
}

/// The metallic-roughness formula of shaders/shared/light.wgsl, written by a host.
const WRITTEN: &str = "
    let point_light = point.sun_irradiance * point.sun_visibility;
    let f0 = mix(vec3<f32>(0.04), point.base_color, point.metallic);
    let diffuse = point.base_color * (1.0 - point.metallic);
    let n_v = max(dot(point.normal, point.view), 0.001);
    let n_l = max(dot(point.normal, point.sun_direction), 0.0);
    let halfway = normalize(point.view + point.sun_direction);
    let n_h = max(dot(point.normal, halfway), 0.0);
    let alpha = max(point.roughness * point.roughness, 0.02);
    let d = n_h * n_h * (alpha * alpha - 1.0) + 1.0;
    let k = 0.5 * alpha;
    let smith = 0.25 / ((n_l * (1.0 - k) + k) * (n_v * (1.0 - k) + k));
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(point.view, halfway), 0.0), 5.0);
    let specular = fresnel * smith * alpha * alpha / (3.14159265 * d * d);
    let direct = (diffuse / 3.14159265 + specular) * n_l * point_light;
    let reflected = reflect(-point.view, point.normal);
    let rim = f0 + (max(vec3<f32>(1.0 - point.roughness), f0) - f0) * pow(1.0 - n_v, 5.0);
    let around = mix(point.ambient_below, point.ambient_above, 0.5 + 0.5 * point.normal.y);
    let mirrored = mix(point.ambient_below, point.ambient_above, 0.5 + 0.5 * reflected.y) * rim * 0.6;
    return direct + (diffuse * around + mirrored) * point.occlusion + point.emissive;";

#[test]
fn the_standard_formula_gives_the_standard_picture() {
    let Some(gpu) = common::gpu::open() else { return };
    let own_sky = CrowdOptions {
        own_sky: true,
        ..with_shadows()
    };
    let light = CrowdOptions {
        effort: Effort::Light,
        ..own_sky
    };
    let bumps = || common::gpu::bake(bump("bump", [false; 2], 1.0));
    let cases = [
        (with_shadows(), opened("man")),
        (with_shadows(), bumps()),
        (own_sky, bumps()),
        (light, opened("man")),
    ];
    for (options, character) in cases {
        let mut crowd = crowd(&gpu, options, character);
        let standard = picture(&gpu, &mut crowd, &view());
        let called = shaded(&gpu, &mut crowd, &view(), "return standard_radiance(point);");
        assert!(distance(&standard, &called) < 1.0 / 255.0, "{options:?}");
        assert!(covered(&standard).iter().any(|color| color[0] > 0.1));
        if !options.own_sky {
            let written = shaded(&gpu, &mut crowd, &view(), WRITTEN);
            assert!(
                distance(&standard, &written) < 1.0 / 255.0,
                "{}",
                distance(&standard, &written)
            );
        }
        crowd.set_surface_shader(None).expect("compiles");
        assert!(crowd.surface_shader().is_none());
        assert_eq!(distance(&standard, &picture(&gpu, &mut crowd, &view())), 0.0);
    }
}

#[test]
fn the_sun_of_a_point_may_be_dimmed_before_the_standard_lighting() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = crowd(&gpu, CrowdOptions::default(), opened("man"));
    let dim = "var dim = point; dim.sun_visibility = 0.0; return standard_radiance(dim);";
    let dimmed = shaded(&gpu, &mut crowd, &view(), dim);
    crowd.set_surface_shader(None).expect("compiles");
    let mut dark = view();
    dark.light.sun.irradiance = 0.0;
    assert!(distance(&dimmed, &picture(&gpu, &mut crowd, &dark)) < 1e-3);
    assert!(distance(&dimmed, &picture(&gpu, &mut crowd, &view())) > 0.05);
}

#[test]
fn every_technique_and_path_is_shaded() {
    let Some(gpu) = common::gpu::open() else { return };
    let flat = "return vec3<f32>(0.25, 0.5, 2.0) * f32(point.tint & 1u) + vec3<f32>(0.125);";
    let is_flat = |color: &[f32; 3]| [[0.375, 0.625, 2.125], [0.125; 3]].contains(color);
    for technique in Technique::ALL {
        for path in [DrawPath::Selected, DrawPath::Plain] {
            let options = CrowdOptions {
                method: DrawMethod::new(*technique, AtlasFormat::F32, AtlasSource::Storage),
                path,
                ..CrowdOptions::default()
            };
            let mut crowd = crowd(&gpu, options, opened("man"));
            let picture = shaded(&gpu, &mut crowd, &view(), flat);
            let colors = covered(&picture);
            assert!(colors.iter().all(is_flat), "{technique:?} {path:?}");
            assert!(
                colors.contains(&[0.125; 3]) && colors.contains(&[0.375, 0.625, 2.125]),
                "{technique:?}"
            );
        }
    }
}

#[test]
fn contents_that_come_later_and_further_views_are_shaded() {
    let Some(gpu) = common::gpu::open() else { return };
    let mut crowd = crowd(&gpu, CrowdOptions::default(), opened("man"));
    let early = shaded(&gpu, &mut crowd, &view(), "return vec3<f32>(0.5, 0.25, 1.0);");
    let sword = crowd.add_character(opened("sword")).expect("fits");
    let places = [Instance::new(Vec3::new(0.0, 0.5, 1.0)).with_yaw_scale(0.3, 2.0)];
    crowd.set_instances(sword, &places).expect("fits");
    let later = picture(&gpu, &mut crowd, &view());
    assert!(covered(&later).len() > covered(&early).len());
    let mut further = crowd.further_view();
    let mut encoder = encoder(&gpu, "frame");
    crowd.prepare(&mut encoder, &view(), Clock::from_seconds(0.4));
    crowd
        .prepare_view(&mut encoder, &mut further, &view())
        .expect("is prepared");
    let seen = halves(&common::gpu::host_picture(&gpu, SIZE, COLOR, encoder, |pass| {
        crowd.draw_view(pass, &further)
    }));
    assert_eq!(distance(&seen, &later), 0.0);
    assert!(covered(&later).iter().all(|&color| color == [0.5, 0.25, 1.0]));
}

#[test]
fn the_software_rasterizer_is_shaded_as_the_hardware_is() {
    let Some(gpu) = raster::supported() else { return };
    let body = "return mix(standard_radiance(point), point.normal * 0.5 + 0.5, f32(point.tint & 1u));";
    let drawn = |raster: Raster, body: Option<&str>| {
        let options = CrowdOptions {
            raster,
            ..with_shadows()
        };
        let mut crowd = crowd(&gpu, options, opened("man"));
        crowd.set_surface_shader(body.map(shader)).expect("compiles");
        let mut encoder = encoder(&gpu, "frame");
        crowd.prepare(&mut encoder, &view(), Clock::from_seconds(0.4));
        assert_eq!(crowd.uses_sw_raster(), raster == Raster::Compute);
        halves(&common::gpu::host_picture(&gpu, SIZE, COLOR, encoder, |pass| {
            crowd.draw(pass)
        }))
    };
    let [hardware, software] = [Raster::Hardware, Raster::Compute].map(|raster| drawn(raster, Some(body)));
    let apart = |a: &[f32; 4], b: &[f32; 4]| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 3.0 / 255.0);
    let differing = hardware.iter().zip(&software).filter(|(a, b)| apart(a, b)).count();
    assert!(differing < 20, "{differing} texels differ");
    let without = drawn(Raster::Compute, None);
    assert!(without.iter().zip(&software).filter(|(a, b)| apart(a, b)).count() > 100);
}
