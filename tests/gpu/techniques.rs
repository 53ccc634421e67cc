//! Every technique draws the same picture.

use throng::{
    atlas::AtlasFormat,
    cli::shot::ShotRenderer,
    config::{Config, Technique},
    gpu::adapter::AdapterChoice,
    render::{DrawPath, resources::AtlasSource},
    scene::LodMaker,
};

use crate::common;

/// Small plaza in which people talk, fade and walk.
fn config(technique: Technique, format: AtlasFormat) -> Config {
    let mut config = Config::scene("plaza").expect("embedded");
    config.scene.count = 60;
    config.window.width = 320;
    config.window.height = 180;
    config.render.msaa = 1;
    config.render.technique = technique;
    config.render.format = format;
    // Only technique matrix has LODs.
    config.render.detail = 0.0;
    config
}

fn picture(
    choice: &AdapterChoice,
    technique: Technique,
    format: AtlasFormat,
    source: AtlasSource,
    time: f64,
) -> Vec<u8> {
    let config = config(technique, format);
    let mut shot = ShotRenderer::open(
        &config,
        choice,
        (Some(source), DrawPath::default()),
        &LodMaker::default(),
    )
    .expect("the scene fits");
    shot.draw(&config, time).expect("a frame")
}

/// Mean absolute difference of red, green and blue (percent of full scale); alpha is equal everywhere.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let colors = |picture: &[u8]| {
        picture
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2]])
            .collect::<Vec<u8>>()
    };
    let (a, b) = (colors(a), colors(b));
    let sum: u64 = a.iter().zip(&b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64 / 255.0 * 100.0
}

#[test]
fn techniques_and_formats_agree_with_the_full_precision_atlas() {
    let Some(gpu) = common::gpu::open() else { return };
    let choice: AdapterChoice = gpu.facts.name.parse().unwrap_or_default();
    let time = 7.3;
    let draw = |technique, format, source| picture(&choice, technique, format, source, time);
    let reference = draw(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage);
    let empty = picture(
        &choice,
        Technique::Matrix,
        AtlasFormat::F32,
        AtlasSource::Storage,
        time + 31.0,
    );
    let (f16, storage) = (AtlasFormat::F16, AtlasSource::Storage);
    let mut cases = vec![
        (
            "vertex texture".to_owned(),
            Technique::Vertex,
            f16,
            AtlasSource::Texture,
            0.5,
        ),
        ("vertex storage".to_owned(), Technique::Vertex, f16, storage, 0.5),
        ("textbook".to_owned(), Technique::Textbook, f16, storage, 0.1),
        ("live".to_owned(), Technique::Live, f16, storage, 0.5),
        ("preskinned".to_owned(), Technique::Preskinned, f16, storage, 0.5),
    ];
    for format in AtlasFormat::ALL {
        let bound = if AtlasFormat::precise().any(|precise| precise == format) {
            0.1
        } else {
            0.5
        };
        for source in [AtlasSource::Storage, AtlasSource::Texture] {
            let name = format!("matrix {} {}", format.name(), source.name());
            cases.push((name, Technique::Matrix, format, source, bound));
        }
    }
    for (name, technique, format, source, bound) in cases {
        let found = difference(&reference, &draw(technique, format, source));
        println!("{name:<20} {found:.4} % mean difference from matrix f32");
        assert!(found < bound, "{name}: {found} %, allowed {bound} %");
    }
    // Control: the rest pose and another moment differ more.
    let rest = difference(
        &reference,
        &draw(Technique::Static, AtlasFormat::F16, AtlasSource::Storage),
    );
    let later = difference(&reference, &empty);
    println!("static {rest:.4} %, half a minute later {later:.4} %");
    assert!(rest > 0.5 && later > 0.5, "{rest} {later}");
}
