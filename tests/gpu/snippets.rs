//! Rust of README.md and docs, word for word: it compiles here, and `tests/tree/documents.rs` finds each snippet here.
//! Shaders of docs are valid.

#![allow(dead_code, reason = "Rust snippets are compiled, not run")]

use std::{error::Error, path::Path};

use throng::{
    Character,
    aov::{AovRenderer, FrameParameters},
    config::Config,
    crowd::{
        Clock, Instance,
        actors::{Actor, ActorClip, ActorId, ActorMove, ActorPlay},
    },
    glam::{Mat4, Vec3},
    gpu::{AdapterChoice, Gpu},
    label::{LabelOptions, PictureRequest, Recorder},
    render::{
        ACTOR_ROWS_WGSL, Actors, CrowdRenderer, DrawPath, SurfaceShader, Targets, TimedView, View, passes::AovKind,
    },
    scene::LodMaker,
};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// What a host brings to a frame.
struct Host<'a> {
    device: wgpu::Device,
    queue: wgpu::Queue,
    encoder: wgpu::CommandEncoder,
    pass: wgpu::RenderPass<'a>,
    map_pass: wgpu::RenderPass<'a>,
}

/// README.md, and the first snippet of docs/embedding.md.
fn crowd(host: Host<'_>, targets: Targets, people: &[Instance], (camera, eye): (Mat4, Vec3)) -> Result {
    let (device, queue, mut encoder, mut pass) = (host.device, host.queue, host.encoder, host.pass);
    let gpu = Gpu::from_device(device.clone(), queue.clone());
    let mut crowd = CrowdRenderer::new(&gpu, targets)?;
    let man = crowd.add_character(Character::open("hero.glb")?)?;
    crowd.set_instances(man, people)?;
    // each frame
    crowd.prepare(&mut encoder, &View::new(camera, eye), Clock::from_seconds(0.5));
    crowd.draw(&mut pass);
    Ok(())
}

/// docs/embedding.md, several views.
fn views(host: Host<'_>, mut crowd: CrowdRenderer, [player, from_above]: [View; 2], now: Clock) -> Result {
    let (mut encoder, mut pass, mut map_pass) = (host.encoder, host.pass, host.map_pass);
    let mut map = crowd.further_view(); // once
    // each frame
    crowd.prepare(&mut encoder, &player, now);
    crowd.prepare_view(&mut encoder, &mut map, &from_above)?; // sends a camera, 448 bytes
    crowd.draw(&mut pass);
    crowd.draw_view(&mut map_pass, &map);
    Ok(())
}

/// docs/embedding.md, outputs beside colour.
fn outputs(
    host: Host<'_>,
    mut crowd: CrowdRenderer,
    [view, view_before]: [View; 2],
    [now, before]: [Clock; 2],
) -> Result {
    let (mut encoder, mut pass, size) = (host.encoder, host.pass, (640, 360));
    crowd.prepare_outputs(&[AovKind::Ids, AovKind::Normal, AovKind::Motion])?; // after changes of the contents
    let motion = crowd.pose_motion(
        TimedView { view: &view, time: now },
        TimedView {
            view: &view_before,
            time: before,
        },
    )?;
    crowd.prepare(&mut encoder, &view, now);
    crowd.draw_output(&mut pass, AovKind::Motion, size, Some(&motion));
    Ok(())
}

/// docs/embedding.md, lighting of a host's own.
fn lighting(mut crowd: CrowdRenderer, text: &str) -> Result {
    let toon = SurfaceShader::new(text)?; // checks the text, without a device
    crowd.set_surface_shader(Some(toon))?; // from the next frame on; None lights as before
    Ok(())
}

/// docs/embedding.md, actors.
fn actors(mut crowd: CrowdRenderer, [walk, wave]: [u16; 2], [now, later]: [Clock; 2], yaw: f32) -> Result {
    let man = crowd.add_character(Character::open("hero.glb")?)?;
    let actors = crowd.actors(man, 10_000)?; // slots on the GPU
    let id = actors.spawn(&Actor {
        position: [1.0, 0.0, 2.0],
        clip: ActorClip::new(walk),
        ..Actor::default()
    })?;
    actors.move_to(id, now..later, [1.0, 0.0, 2.7], yaw)?; // from where it is; the GPU interpolates
    actors.play(id, &ActorClip::once(wave), now, 0.3)?; // fades from whatever plays, also from a fade
    actors.speed(id, 1.4, now)?;
    actors.despawn(id)?; // the handle is stale from now on
    Ok(())
}

/// Somebody of a host's simulation.
struct Person {
    id: ActorId,
    position: [f32; 3],
    yaw: f32,
}

/// docs/embedding.md, lists of actors.
fn lists(actors: Actors, people: &[Person], [now, next_step]: [Clock; 2], walk: u16) -> Result {
    let id = people[0].id;
    let moves: Vec<ActorMove> = people
        .iter()
        .map(|p| ActorMove {
            id: p.id,
            position: p.position,
            yaw: p.yaw,
        })
        .collect();
    actors.move_all(now..next_step, &moves)?; // as move_to for each; an error lists those refused
    actors.play_all(
        now,
        &[ActorPlay {
            id,
            clip: ActorClip::new(walk),
            fade: 0.3,
        }],
    )?;
    Ok(())
}

/// docs/labels.md.
fn labels() -> Result {
    let mut config = Config::scene("plaza")?;
    config.render.detail = 0.0;
    let renderer = AovRenderer::open(
        &config,
        &AdapterChoice::Auto,
        (None, DrawPath::Plain),
        LodMaker::default(),
    )?;
    let wanted = PictureRequest {
        size: (960, 540),
        passes: "color,ids".parse()?,
        labels: Some(LabelOptions::default()),
        effects: Vec::new(),
    };
    let mut recorder = Recorder::new(renderer, wanted);
    let frame = FrameParameters::of(&config, &recorder.aov_renderer().scene, 4.0)?;
    let recording = recorder.record(0, &[frame], None)?;
    for person in recording.labels.iter().flat_map(|labels| &labels.people) {
        println!("{}: {:?}", person.character, person.full_box); // masks and key points, too
    }
    recording.write(recorder.wanted(), Path::new("out/00000"))?;
    Ok(())
}

/// Only WGSL block of a document that contains `text`.
fn wgsl(document: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let document = std::fs::read_to_string(path).expect("a document");
    let blocks = document.split("```wgsl\n").skip(1);
    let mut blocks = blocks.filter_map(|rest| Some(rest.split_once("```")?.0));
    blocks.find(|block| block.contains(text)).expect("a snippet").to_owned()
}

#[test]
fn shaders_of_the_documents_are_valid() {
    let lighting = wgsl("docs/embedding.md", "fn surface_radiance");
    SurfaceShader::new(&lighting).expect("docs/embedding.md, lighting");
    let parse = |text: &str| naga::front::wgsl::parse_str(text).map(drop);
    let frames = wgsl("docs/export.md", "fn frames_at");
    let frames = format!("@group(0) @binding(0) var<storage> times: array<u32>;\n{frames}");
    parse(&frames).expect("docs/export.md");
    let step = wgsl("docs/embedding.md", "row.span = ");
    let step = format!(
        "{ACTOR_ROWS_WGSL}\nconst STEP = 0.1;\n\
         fn step(before: MotionRow, velocity: vec3<f32>, now_seconds: u32, now_ticks: u32) -> MotionRow {{\n\
         var row = before;\n{step}\nreturn row;\n}}"
    );
    parse(&step).expect("docs/embedding.md, rows");
    assert!(parse("fn wrong() { row.span = 1u; }").is_err());
}
