//! CPU cost of preparing a character, step by step: import, sample, bake, palette, encode. `cargo bench --bench micro
//! [FILTER]`; `-- --test` runs each once.

use std::{hint::black_box, path::Path, sync::Arc};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use throng::{
    atlas::{AtlasFormat, baked_vertex::VertexAtlas},
    bake::{
        self, BakeOptions,
        pose::{self, Poser},
        skinning,
    },
    character::Character,
    file::{self, gltf},
    model::{Model, Transform},
    scene::embedded as assets,
};

fn load(name: &str) -> Model {
    let bytes = assets::embedded(name).expect("an embedded character");
    gltf::load_bytes(name, bytes, None).expect("embedded characters load")
}

fn characters() -> Vec<Arc<Character>> {
    let bake = |name: &&str| Character::bake(load(name), &BakeOptions::default()).expect("embedded characters bake");
    assets::NAMES.iter().map(bake).map(Arc::new).collect()
}

/// Measures reading a GLB: bytes of the file per second.
fn import(c: &mut Criterion) {
    let mut group = c.benchmark_group("import");
    for name in assets::NAMES {
        let bytes = assets::embedded(name).expect("an embedded character");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(*name, |b| b.iter(|| gltf::load_bytes(name, black_box(bytes), None)));
    }
    group.finish();
}

/// Measures opening a baked file from memory: all of it, and only what drawing needs. Compares with the raw file up to
/// an atlas, and up to the bytes of the baked file. With `THRONG_SAMPLES`, includes the Knight of 76 clips.
fn open(c: &mut Criterion) {
    let mut group = c.benchmark_group("open");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    files.extend(assets::embedded("woman").map(|bytes| ("woman".to_owned(), bytes.to_vec())));
    let sample = std::env::var_os("THRONG_SAMPLES").map(|f| Path::new(&f).join("Knight/Knight.glb"));
    match sample.map(std::fs::read) {
        Some(Ok(bytes)) => files.push(("Knight".into(), bytes)),
        _ => eprintln!("SKIPPED: Knight, THRONG_SAMPLES does not name the sample models"),
    }
    for (name, raw) in files {
        let bake = || {
            let model = gltf::load_bytes(&name, black_box(&raw), None).expect("loads");
            Character::bake(model, &BakeOptions::default()).expect("bakes")
        };
        let write = |character: &Character| {
            let atlas = character.atlas(AtlasFormat::F16);
            file::baked::to_bytes(&character.model, &atlas, None).expect("fits")
        };
        let baked = write(&bake());
        group.bench_function(BenchmarkId::new("import and bake", &name), |b| b.iter(bake));
        group.bench_function(BenchmarkId::new("import, bake and write", &name), |b| {
            b.iter(|| write(&bake()))
        });
        group.bench_function(BenchmarkId::new("baked, whole", &name), |b| {
            b.iter(|| file::open_bytes(&name, black_box(&baked), None));
        });
        let open = |bytes| file::open_bytes_to_draw(&name, bytes, None).expect("opens");
        group.bench_function(BenchmarkId::new("baked, to draw", &name), |b| {
            b.iter_batched(|| baked.clone(), open, BatchSize::PerIteration);
        });
        group.bench_function(BenchmarkId::new("baked, ready to upload", &name), |b| {
            let ready = |bytes| Character::from_opened(open(bytes), &BakeOptions::default());
            b.iter_batched(|| baked.clone(), ready, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Measures sampling keys of one clip to local transforms: joints per second, one core.
fn sample(c: &mut Criterion) {
    let mut group = c.benchmark_group("sample");
    for character in characters() {
        let skeleton = &character.model.skeleton;
        let Some(clip) = character.model.clips.first() else {
            continue;
        };
        let mut out = vec![Transform::IDENTITY; skeleton.joints.len()];
        group.throughput(Throughput::Elements(skeleton.joints.len() as u64));
        group.bench_function(character.model.name.as_str(), |b| {
            b.iter(|| pose::sample(skeleton, clip, black_box(0.37 * clip.duration), &mut out));
        });
    }
    group.finish();
}

/// Measures palettes from a clip and a time (sampling, hierarchy, inverse binds): matrices per second, one core.
fn palette(c: &mut Criterion) {
    let mut group = c.benchmark_group("palette");
    for character in characters() {
        let skeleton = &character.model.skeleton;
        let mut out = vec![glam::Affine3A::IDENTITY; skeleton.slots.len()];
        let mut poser = Poser::default();
        group.throughput(Throughput::Elements(out.len() as u64));
        group.bench_function(character.model.name.as_str(), |b| {
            let clip = character.model.clips.first();
            let time = 0.37 * clip.map_or(0.0, |c| c.duration);
            b.iter(|| poser.palette(skeleton, clip, black_box(time), &mut out));
        });
    }
    group.finish();
}

/// Measures baking all clips of a character: frames per second, all cores.
fn bake(c: &mut Criterion) {
    let mut group = c.benchmark_group("bake");
    for character in characters() {
        group.throughput(Throughput::Elements(character.palettes.frame_count as u64));
        group.bench_function(character.model.name.as_str(), |b| {
            b.iter(|| bake::bake(black_box(&character.model), &BakeOptions::default(), &|_| {}));
        });
    }
    group.finish();
}

/// Measures encoding baked palettes to atlas bytes: matrices per second. Baked vertices for comparison.
fn encode(c: &mut Criterion) {
    let mut group = c.benchmark_group("encode");
    group.sample_size(20);
    for character in characters() {
        let name = character.model.name.as_str();
        group.throughput(Throughput::Elements(character.palettes.matrices.len() as u64));
        for format in AtlasFormat::ALL {
            group.bench_function(BenchmarkId::new(format.name(), name), |b| {
                b.iter(|| character.atlas(black_box(format)))
            });
        }
        let frames = character.palettes.frame_count as u64;
        group.throughput(Throughput::Elements(
            frames * character.model.mesh.vertices.len() as u64,
        ));
        group.bench_function(BenchmarkId::new("vertices", name), |b| {
            b.iter(|| VertexAtlas::encode(black_box(&character.model), &character.palettes));
        });
    }
    group.finish();
}

/// Measures the reference skinning that every shader is compared with: vertices per second, one core.
fn skin(c: &mut Criterion) {
    let mut group = c.benchmark_group("skin");
    for character in characters() {
        let mesh = &character.model.mesh;
        group.throughput(Throughput::Elements(mesh.vertices.len() as u64));
        group.bench_function(character.model.name.as_str(), |b| {
            b.iter(|| skinning::skin(mesh, black_box(character.palettes.frame(0))));
        });
    }
    group.finish();
}

criterion_group!(benches, import, open, sample, palette, bake, encode, skin);
criterion_main!(benches);
