//! Further views of a prepared frame draw what first views of the same cameras would.

use glam::{Mat4, Vec3, camera::rh};
use throng::{
    atlas::AtlasFormat,
    config::{Raster, Technique},
    crowd::{
        Attachment, AttachmentKind, Clock, Instance,
        actors::{Actor, ActorClip},
    },
    gpu::{Gpu, encoder, read_texture, target_texture, whole_view},
    model::AlphaMode,
    render::{
        Actors, CharacterId, CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, DrawPath, FurtherView,
        FurtherViewError, Targets, View, resources::AtlasSource,
    },
};

use crate::{actors_drawn::opened, common, raster::poster};

const SIZE: (u32, u32) = (96, 96);
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

fn view(eye: Vec3) -> View {
    let projection: Mat4 = rh::proj::directx::perspective_infinite_reverse(0.7, 1.0, 0.1);
    View {
        size: Some(SIZE),
        ..View::new(projection * rh::view::look_at_mat4(eye, Vec3::Y, Vec3::Y), eye)
    }
}

fn views() -> [View; 3] {
    let eyes = [[0.0, 1.4, 5.0], [9.0, 2.0, -2.0], [-2.0, 14.0, 18.0]];
    eyes.map(|eye| view(Vec3::from(eye)))
}

/// Crowd of people in rows, some of whom carry something, and actors among them.
fn crowd(gpu: &Gpu, options: CrowdOptions) -> (CrowdRenderer, CharacterId) {
    let targets = Targets {
        color: COLOR,
        depth: DepthTarget::reversed(DEPTH),
        samples: 1,
    };
    let mut crowd = CrowdRenderer::with_options(gpu, targets, options).expect("compiles");
    let man = crowd.add_character(opened("man")).expect("fits");
    (crowd, man)
}

fn populate(crowd: &mut CrowdRenderer, man: CharacterId) -> Actors {
    let actors = crowd.actors(man, 100).expect("fits");
    for number in 0..80_u16 {
        let position = [f32::from(number % 10) - 4.5, 0.0, f32::from(number / 10) - 5.0];
        let actor = Actor {
            position,
            yaw: f32::from(number),
            clip: ActorClip::new(number % 4),
            ..Actor::default()
        };
        let id = actors.spawn(&actor).expect("there is room");
        let later = Clock::from_seconds(0.2);
        actors
            .play(id, &ActorClip::new((number + 1) % 4), later, 0.9)
            .expect("in order");
    }
    let sword = AttachmentKind {
        mesh: "sword".into(),
        prop: opened("sword"),
        carriers: vec![vec![], vec![Attachment::new(3, 0, 0), Attachment::new(41, 0, 0)]],
    };
    crowd.set_attachments(&[sword]).expect("fits");
    actors
}

fn drawn(gpu: &Gpu, encoder: wgpu::CommandEncoder, draw: impl FnOnce(&mut wgpu::RenderPass<'_>)) -> Vec<u8> {
    common::gpu::host_picture(gpu, SIZE, COLOR, encoder, draw)
}

fn first(gpu: &Gpu, crowd: &mut CrowdRenderer, view: &View) -> Vec<u8> {
    let mut encoder = encoder(gpu, "frame");
    crowd.prepare(&mut encoder, view, Clock::from_seconds(0.7));
    drawn(gpu, encoder, |pass| crowd.draw(pass))
}

fn is_empty(picture: &[u8]) -> bool {
    picture.chunks_exact(4).all(|pixel| pixel[..3] == [0; 3])
}

#[test]
fn further_views_draw_what_first_views_would() {
    let Some(gpu) = common::gpu::open() else { return };
    let views = views();
    for path in [DrawPath::Selected, DrawPath::Plain] {
        let options = CrowdOptions {
            path,
            ..CrowdOptions::default()
        };
        let (mut crowd, man) = crowd(&gpu, options);
        let _actors = populate(&mut crowd, man);
        let wanted = views.map(|view| first(&gpu, &mut crowd, &view));
        assert!(wanted.iter().all(|picture| !is_empty(picture)), "nobody is drawn");
        assert!(wanted[0] != wanted[1] && wanted[1] != wanted[2]);
        let mut further = [crowd.further_view(), crowd.further_view()];
        for round in 0..2 {
            let mut encoder = encoder(&gpu, "frame");
            crowd.prepare(&mut encoder, &views[0], Clock::from_seconds(0.7));
            let uploads = gpu.uploads.by_purpose();
            for (further, view) in further.iter_mut().zip(&views[1..]) {
                let sent = crowd.prepare_view(&mut encoder, further, view).expect("is prepared");
                assert!(sent < 1024, "{sent} bytes for a camera");
            }
            // Lists are made once.
            let since = gpu.uploads.since(&uploads);
            assert!(
                round == 0 || since.keys().all(|purpose| ["frame", "light"].contains(&&**purpose)),
                "{since:?}"
            );
            // The further views first: they need nothing of the draws of the first one.
            let second = drawn(&gpu, encoder, |pass| crowd.draw_view(pass, &further[0]));
            assert!(second == wanted[1], "{path:?}: the second view differs");
            let submitted = || throng::gpu::encoder(&gpu, "views");
            let third = drawn(&gpu, submitted(), |pass| crowd.draw_view(pass, &further[1]));
            assert!(third == wanted[2], "{path:?}: the third view differs");
            let one = drawn(&gpu, submitted(), |pass| crowd.draw(pass));
            assert!(one == wanted[0], "{path:?}: the first view differs beside others");
        }
    }
}

#[test]
fn further_views_stand_under_the_first_one_s_shadows() {
    let Some(gpu) = common::gpu::open() else { return };
    for raster in [Raster::Hardware, Raster::Compute] {
        let options = CrowdOptions {
            shadow_size: 256,
            raster,
            ..CrowdOptions::default()
        };
        let (mut crowd, man) = crowd(&gpu, options);
        let _actors = populate(&mut crowd, man);
        let mut view = views()[1];
        let unshaded = first(&gpu, &mut crowd, &view);
        view.shadow_focus = Some(Vec3::ZERO);
        let wanted = first(&gpu, &mut crowd, &view);
        let mut further = crowd.further_view();
        let mut encoder = encoder(&gpu, "frame");
        crowd.prepare(&mut encoder, &view, Clock::from_seconds(0.7));
        crowd
            .prepare_view(&mut encoder, &mut further, &view)
            .expect("is prepared");
        let found = drawn(&gpu, encoder, |pass| crowd.draw_view(pass, &further));
        let differing = |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(differing(&unshaded, &wanted) > 300, "{raster:?}: no shadows");
        let count = differing(&found, &wanted);
        assert!(count < 60, "{raster:?}: {count} values differ");
    }
}

#[test]
fn further_views_follow_changes_and_refuse_what_they_cannot_show() {
    let Some(gpu) = common::gpu::open() else { return };
    let view = views()[0];
    let (mut crowd, man) = crowd(&gpu, CrowdOptions::default());
    let mut further = crowd.further_view();
    let mut encoder = encoder(&gpu, "frame");
    let refused = crowd.prepare_view(&mut encoder, &mut further, &view);
    assert!(matches!(refused, Err(FurtherViewError::NotPrepared)), "{refused:?}");
    crowd.prepare(&mut encoder, &view, Clock::default());
    crowd
        .prepare_view(&mut encoder, &mut further, &view)
        .expect("an empty crowd");
    let empty = drawn(&gpu, encoder, |pass| crowd.draw_view(pass, &further));
    assert!(is_empty(&empty));
    // Lists of other contents are never drawn.
    let mut actors = populate(&mut crowd, man);
    let submitted = || throng::gpu::encoder(&gpu, "views");
    assert!(is_empty(
        &drawn(&gpu, submitted(), |pass| crowd.draw_view(pass, &further))
    ));
    for capacity in [100, 300] {
        crowd.grow_actors(&mut actors, capacity).expect("fits");
        let mut encoder = submitted();
        crowd.prepare(&mut encoder, &view, Clock::default());
        crowd
            .prepare_view(&mut encoder, &mut further, &view)
            .expect("is prepared");
        let people = drawn(&gpu, encoder, |pass| crowd.draw_view(pass, &further));
        assert!(!is_empty(&people), "nobody among {capacity}");
    }
    let method = DrawMethod::new(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage);
    let options = CrowdOptions {
        method,
        ..CrowdOptions::default()
    };
    let (mut preskinned, man) = self::crowd(&gpu, options);
    preskinned
        .set_instances(man, &[Instance::new(Vec3::ZERO)])
        .expect("fits");
    let mut encoder = submitted();
    preskinned.prepare(&mut encoder, &view, Clock::default());
    let mut further = preskinned.further_view();
    let refused = preskinned.prepare_view(&mut encoder, &mut further, &view);
    assert!(
        matches!(
            refused,
            Err(FurtherViewError::Technique {
                technique: Technique::Preskinned
            })
        ),
        "{refused:?}"
    );
    assert_eq!(gpu.take_error(), None);
}

#[test]
fn further_views_cull_the_occluded_and_keep_their_picture() {
    let Some(gpu) = common::gpu::open() else { return };
    let (mut crowd, man) = crowd(&gpu, CrowdOptions::default());
    let _actors = populate(&mut crowd, man);
    let views = views();
    let mut further = crowd.further_view();
    let depth = target_texture(&gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let occluders = whole_view(&depth, "depth");
    // The far phase of the view from afar, after the near phase has left a depth: far away, or right before the eye.
    let [all, nobody] = [0.0, 1.0].map(|depth| {
        let mut encoder = encoder(&gpu, "frame");
        crowd.prepare(&mut encoder, &views[0], Clock::from_seconds(0.7));
        crowd
            .prepare_view(&mut encoder, &mut further, &views[2])
            .expect("is prepared");
        let color = target_texture(&gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::empty());
        let color = whole_view(&color, "color");
        drop(common::gpu::host_pass(&mut encoder, &color, &occluders, Some(depth)));
        crowd.cull_view(&mut encoder, &mut further, &occluders);
        drawn(&gpu, encoder, |pass| crowd.draw_view_far(pass, &further))
    });
    assert!(!is_empty(&all), "nobody is in the far phase");
    assert!(is_empty(&nobody), "somebody is drawn who is occluded");
    for view in views {
        let mut encoder = encoder(&gpu, "frame");
        crowd.prepare(&mut encoder, &views[0], Clock::from_seconds(0.7));
        crowd
            .prepare_view(&mut encoder, &mut further, &view)
            .expect("is prepared");
        let wanted = drawn(&gpu, encoder, |pass| crowd.draw_view(pass, &further));
        let found = culled(&gpu, &crowd, &mut further);
        assert!(found == wanted, "culling changes the picture");
    }
}

/// Picture of a prepared further view in two phases, with culling between them.
fn culled(gpu: &Gpu, crowd: &CrowdRenderer, further: &mut FurtherView) -> Vec<u8> {
    let color = target_texture(gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::COPY_SRC);
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
    let (color_view, depth) = (whole_view(&color, "color"), whole_view(&depth, "depth"));
    let mut encoder = encoder(gpu, "phases");
    crowd.draw_view_near(
        &mut common::gpu::host_pass(&mut encoder, &color_view, &depth, Some(0.0)),
        further,
    );
    crowd.cull_view(&mut encoder, further, &depth);
    crowd.draw_view_far(
        &mut common::gpu::host_pass(&mut encoder, &color_view, &depth, None),
        further,
    );
    gpu.queue.submit([encoder.finish()]);
    let picture = read_texture(gpu, &color).expect("readback");
    assert_eq!(gpu.take_error(), None);
    picture
}

/// Depths that `draw` leaves in a pass, which `begin` begins on a view of them.
fn depths(
    gpu: &Gpu,
    begin: impl for<'a> FnOnce(&'a mut wgpu::CommandEncoder, &wgpu::TextureView) -> wgpu::RenderPass<'a>,
    draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
) -> Vec<f32> {
    let depth = target_texture(gpu, "depth", SIZE, DEPTH, 1, wgpu::TextureUsages::COPY_SRC);
    let mut encoder = encoder(gpu, "depth");
    let mut pass = begin(&mut encoder, &whole_view(&depth, "depth"));
    draw(&mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    bytemuck::pod_collect_to_vec(&read_texture(gpu, &depth).expect("readback"))
}

fn depth_pass<'a>(encoder: &'a mut wgpu::CommandEncoder, depth: &wgpu::TextureView) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("depth"),
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

#[test]
fn depth_alone_is_equal_to_the_depth_of_the_coloured_view() {
    let Some(gpu) = common::gpu::open() else { return };
    for path in [DrawPath::Selected, DrawPath::Plain] {
        let options = CrowdOptions {
            path,
            ..CrowdOptions::default()
        };
        let (mut crowd, man) = crowd(&gpu, options);
        let _actors = populate(&mut crowd, man);
        // Something with holes, in front of people.
        let holed = common::gpu::bake(poster(AlphaMode::Mask(0.5)));
        let holed = crowd.add_character(holed).expect("fits");
        let place = Vec3::new(2.5, 0.5, -0.5);
        crowd.set_instances(holed, &[Instance::new(place)]).expect("fits");
        let mut further = crowd.further_view();
        let mut encoder = encoder(&gpu, "frame");
        crowd.prepare(&mut encoder, &views()[0], Clock::from_seconds(0.7));
        crowd
            .prepare_view(&mut encoder, &mut further, &views()[1])
            .expect("is prepared");
        gpu.queue.submit([encoder.finish()]);
        let alone = |crowd: &CrowdRenderer| depths(&gpu, depth_pass, |pass| crowd.draw_view_depth(pass, &further));
        assert!(
            alone(&crowd).iter().all(|depth| *depth == 0.0),
            "drawn without pipelines"
        );
        crowd.prepare_depth().expect("compiles");
        let color = target_texture(&gpu, "color", SIZE, COLOR, 1, wgpu::TextureUsages::empty());
        let color = whole_view(&color, "color");
        let wanted = depths(
            &gpu,
            |encoder, depth| common::gpu::host_pass(encoder, &color, depth, Some(0.0)),
            |pass| crowd.draw_view(pass, &further),
        );
        let drawn = wanted.iter().filter(|depth| **depth > 0.0).count();
        assert!(drawn > 500 && drawn < wanted.len(), "{path:?}: {drawn} pixels");
        let found = alone(&crowd);
        let differing = found.iter().zip(&wanted).filter(|(found, wanted)| found != wanted);
        let worst = differing
            .clone()
            .map(|(found, wanted)| (found - wanted).abs())
            .fold(0.0, f32::max);
        assert_eq!(differing.count(), 0, "{path:?}: depth differs by up to {worst}");
        assert_eq!(gpu.take_error(), None);
    }
}
