//! Labels and AOVs against a brute-force drawing of every single person, and against the CPU.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use throng::{
    aov::{AovImages, AovRenderer, FrameParameters},
    config::{Config, Raster, Technique},
    gpu::Gpu,
    label::{
        COCO_POINTS, Categories, JointSet, KeyPoint, KeyPointVisibility, LabelFormats, LabelOptions, LabelRules,
        Labels, Mapping,
    },
    render::{
        DrawMethod, DrawPath, RenderOptions,
        passes::{AovKind, ID_ATTACHMENT, ID_SCENERY},
        resources::AtlasSource,
    },
    scene::{LodMaker, Scene, StartupTimes},
    view::Camera,
};

use crate::{common, motion::motion_leads_to_the_next};

pub const SIZE: (u32, u32) = (240, 136);

pub fn config(scene: &str, count: u32) -> Config {
    let mut config = Config::scene(scene).expect("a preset");
    config.scene.count = count;
    (config.window.width, config.window.height) = SIZE;
    config.render.detail = 0.0;
    config
}

/// AOV renderer of a scene with a technique; `None` without an adapter.
pub fn aov_renderer(config: &Config, technique: Technique) -> Option<AovRenderer> {
    let gpu = common::gpu::open()?;
    Some(observer_on(gpu, config, technique, Raster::Hardware))
}

pub fn observer_on(gpu: Gpu, config: &Config, technique: Technique, raster: Raster) -> AovRenderer {
    let scene = Scene::load(config, &mut StartupTimes::default()).expect("loads");
    let options = RenderOptions {
        path: DrawPath::Selected,
        raster,
        ..RenderOptions::of(DrawMethod::new(technique, config.render.format, AtlasSource::Storage))
    };
    let renderer = common::gpu::renderer(&gpu, &scene, options);
    AovRenderer::new(gpu, scene, renderer)
}

/// Camera among the people of a plaza, near enough that the picture's edges cut some of them.
pub fn among(config: &Config, aov_renderer: &AovRenderer, time: f64) -> FrameParameters {
    let extent = aov_renderer.scene.extent_at(time);
    let camera = Camera {
        eye: extent.subject + Vec3::new(0.6, 1.7, 3.4),
        target: extent.subject + Vec3::Y * 0.9,
        fov: 0.9,
    };
    FrameParameters::seen_by(config, camera, time)
}

pub const ALL: LabelOptions = LabelOptions {
    mapping: Mapping::EMPTY,
    least_pixels: 0,
    density: None,
    formats: LabelFormats::COCO,
    joints: JointSet::Coco17,
    categories: Categories::Person,
    amodal_masks: true,
    surface_points: 16,
    rules: LabelRules::Second,
};

/// Masks and boxes from drawing every person, and everything else, separately.
pub struct BruteForce {
    /// Amodal box and number of pixels by person.
    amodal: BTreeMap<u32, ([i64; 4], u32)>,
    /// Visible pixels by person, as a mask.
    seen: BTreeMap<u32, Vec<bool>>,
    /// Amodal mask by person.
    masks: BTreeMap<u32, Vec<bool>>,
}

fn bounds(mask: &[bool]) -> Option<[i64; 4]> {
    let width = SIZE.0 as usize;
    let set = || (0..mask.len()).filter(|&at| mask[at]);
    let columns = || set().map(|at| (at % width) as i64);
    let (left, right) = (columns().min()?, columns().max()? + 1);
    let (top, bottom) = ((set().min()? / width) as i64, (set().max()? / width) as i64 + 1);
    Some([left, top, right - left, bottom - top])
}

pub fn brute_force(aov_renderer: &mut AovRenderer, moment: &FrameParameters, everything: &AovImages) -> BruteForce {
    let people = aov_renderer.scene.everyone().count() as u32;
    let kinds = [AovKind::Ids, AovKind::Depth];
    let mut drawings = Vec::new();
    let (mut amodal, mut masks) = (BTreeMap::new(), BTreeMap::new());
    for number in 0..people {
        let drawn = aov_renderer.numbers_of(number, moment, SIZE, &kinds).expect("draws");
        assert!(
            drawn.ids().iter().all(|&id| id == 0 || id == number + 1),
            "{number} is not alone"
        );
        let mask: Vec<bool> = drawn.ids().iter().map(|&id| id != 0).collect();
        if let Some(bounds) = bounds(&mask) {
            amodal.insert(number, (bounds, mask.iter().filter(|&&set| set).count() as u32));
            masks.insert(number, mask);
        }
        drawings.push(drawn.floats(AovKind::Depth).to_vec());
    }
    // Scenery, attachments and ground hide a person only if they are not farther away.
    let mut seen = BTreeMap::new();
    let shown = everything.floats(AovKind::Depth);
    for (at, &id) in everything.ids().iter().enumerate() {
        let nearest = (0..people).min_by(|&a, &b| drawings[a as usize][at].total_cmp(&drawings[b as usize][at]));
        let Some(nearest) = nearest.filter(|&p| drawings[p as usize][at].is_finite()) else {
            assert!(
                id == 0 || id & (ID_ATTACHMENT | ID_SCENERY) != 0,
                "nobody covers pixel {at}, but {id} does"
            );
            continue;
        };
        let other = id == 0 || id & (ID_ATTACHMENT | ID_SCENERY) != 0;
        if other {
            assert!(
                shown[at] <= drawings[nearest as usize][at],
                "pixel {at} shows something behind {nearest}"
            );
            continue;
        }
        assert_eq!(shown[at], drawings[(id - 1) as usize][at], "depth of {id} at {at}");
        assert_eq!(
            drawings[(id - 1) as usize][at],
            drawings[nearest as usize][at],
            "{id} at {at} is not the nearest"
        );
        let mask = seen
            .entry(id - 1)
            .or_insert_with(|| vec![false; (SIZE.0 * SIZE.1) as usize]);
        mask[at] = true;
    }
    BruteForce { amodal, seen, masks }
}

pub fn agree(labels: &Labels, brute: &BruteForce, what: &str) {
    let labelled: Vec<u32> = labels.people.iter().map(|p| p.id - 1).collect();
    assert_eq!(
        labelled,
        brute.amodal.keys().copied().collect::<Vec<_>>(),
        "{what}: people in the picture"
    );
    let mut hidden = 0;
    for person in &labels.people {
        let number = person.id - 1;
        let (bounds_alone, pixels) = brute.amodal[&number];
        assert_eq!(person.full_box.coco(), bounds_alone, "{what}: box of {number}");
        assert_eq!(person.full_pixels, pixels, "{what}: pixels of {number}");
        let amodal = person.amodal_mask.as_ref().expect("was requested").pixels();
        let own = brute.masks.get(&number).expect("is in the picture");
        assert!(&amodal == own, "{what}: amodal mask of {number}");
        let nothing = vec![false; (SIZE.0 * SIZE.1) as usize];
        let seen = brute.seen.get(&number).unwrap_or(&nothing);
        assert!(&person.mask.pixels() == seen, "{what}: mask of {number}");
        let count = seen.iter().filter(|&&set| set).count() as u32;
        assert_eq!(person.visible_pixels, count, "{what}: visible pixels of {number}");
        assert_eq!(
            person.visible_box.map(|seen| seen.coco()),
            bounds(seen),
            "{what}: visible box of {number}"
        );
        hidden += u32::from(count < pixels);
        let occlusion = 1.0 - count as f32 / pixels as f32;
        assert!(
            (person.occlusion - occlusion).abs() < 1e-4,
            "{what}: occlusion of {number}"
        );
        let unclipped = person.unclipped_box.map_or(bounds_alone, |whole| whole.coco());
        let is_cut = unclipped != bounds_alone || person.unclipped_box.is_none();
        assert!(is_cut || person.truncation < 0.02, "{what}: {number} is whole");
        assert!(
            (0.0..1.0).contains(&person.truncation),
            "{what}: truncation of {number}"
        );
        if let Some(whole) = person.unclipped_box {
            let (full, whole) = (person.full_box, whole);
            assert!(whole.left <= full.left && whole.right >= full.right, "{what}: {number}");
            assert!(whole.top <= full.top && whole.bottom >= full.bottom, "{what}: {number}");
        }
    }
    assert!(hidden > 2, "{what}: nobody occludes anybody");
}

#[test]
fn labels_agree_to_the_pixel_with_everybody_drawn_alone() {
    let mut full: Option<Vec<u32>> = None;
    for (technique, detail) in [
        (Technique::Matrix, 0.0),
        (Technique::Matrix, 1.0),
        (Technique::Vertex, 0.0),
        (Technique::Live, 0.0),
        (Technique::Textbook, 0.0),
        (Technique::Preskinned, 0.0),
        (Technique::Preskinned, 1.0),
    ] {
        let mut config = config("plaza", 24);
        config.render.detail = detail;
        let Some(mut aov_renderer) = aov_renderer(&config, technique) else {
            return;
        };
        let moment = among(&config, &aov_renderer, 7.3);
        let kinds = [AovKind::Ids, AovKind::Depth];
        let numbers = aov_renderer.numbers(&moment, None, SIZE, &kinds).expect("draws");
        let labels = Labels::of(&mut aov_renderer, &moment, &numbers, &ALL).expect("labels");
        let brute = brute_force(&mut aov_renderer, &moment, &numbers);
        assert!(labels.people.len() > 7, "{} people", labels.people.len());
        agree(&labels, &brute, &format!("{} at detail {detail}", technique.name()));
        full.get_or_insert(numbers.ids().to_vec());
        let same = full.as_deref() == Some(numbers.ids());
        assert!(detail == 0.0 || !same, "everyone was drawn at full detail");
    }
}

/// Pixel of a point in the world, computed without any matrix of the program.
fn projected(camera: &Camera, point: Vec3) -> Vec2 {
    let forward = (camera.target - camera.eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let from_eye = point - camera.eye;
    let focal = 0.5 * SIZE.1 as f32 / (0.5 * camera.fov).tan();
    let depth = from_eye.dot(forward);
    let middle = Vec2::new(SIZE.0 as f32, SIZE.1 as f32) * 0.5;
    middle + Vec2::new(from_eye.dot(right), -from_eye.dot(up)) * (focal / depth)
}

#[test]
fn key_points_are_within_half_a_pixel_of_the_exact_pose_and_hidden_by_depth() {
    let config = config("plaza", 24);
    let Some(mut aov_renderer) = aov_renderer(&config, Technique::Matrix) else {
        return;
    };
    let options = LabelOptions::default();
    // Counts by visibility; points on joints, and off them, as on faces.
    let (mut all, mut compared) = ([0_u32; 3], [0_u32; 2]);
    for time in [0.0, 3.7, 11.2] {
        let moment = among(&config, &aov_renderer, time);
        let kinds = [AovKind::Ids, AovKind::Depth];
        let numbers = aov_renderer.numbers(&moment, None, SIZE, &kinds).expect("draws");
        let labels = Labels::of(&mut aov_renderer, &moment, &numbers, &options).expect("labels");
        let scene = &aov_renderer.scene;
        for person in &labels.people {
            let posed = { scene.posed(person.who, moment.input.clock, moment.camera.eye, &[]) }.expect("there");
            let world = posed.world_from_model();
            let (model, playing) = (&posed.character.model, &posed.pose.moment);
            for (name, point) in COCO_POINTS.iter().zip(&person.key_points) {
                all[point.seen as usize] += 1;
                let at = options.mapping.point(&person.character, name).expect("is mapped");
                // During a fade there is no single exact pose.
                if point.seen == KeyPointVisibility::Unlabelled || playing.weight < 1.0 {
                    continue;
                }
                let place = usize::from(at.offset != [0.0; 3]);
                compared[place] += 1;
                let joint = model
                    .skeleton
                    .joints
                    .iter()
                    .position(|j| j.name == at.joint)
                    .expect("a joint");
                let clip = &model.clips[playing.to.clip as usize];
                let seconds = playing.to.position * posed.character.palettes.clips[playing.to.clip as usize].duration;
                let mut poser = throng::bake::pose::Poser::default();
                let joints = poser.pose(&model.skeleton, Some(clip), seconds);
                let mut resting = throng::bake::pose::Poser::default();
                let rest = resting.pose(&model.skeleton, None, 0.0)[joint];
                // Offsets are in the axes of the character in its rest pose.
                let offset = rest.inverse().transform_vector3(Vec3::from(at.offset));
                let exact = projected(
                    &moment.camera,
                    world.transform_point3(joints[joint].transform_point3(offset)),
                );
                let error = exact.distance(point.pixel);
                assert!(
                    error < 0.5,
                    "{name} of {}: {error} pixels off, at {}",
                    person.id,
                    point.pixel
                );
            }
            agree_with_depth(person.id, &person.key_points, &numbers, &moment.camera);
        }
    }
    assert!(all.iter().all(|&count| count > 20), "not, hidden, visible: {all:?}");
    assert!(compared.iter().all(|&count| count > 50), "joints, faces: {compared:?}");
}

/// A visible point has nothing much nearer at its pixel; a hidden one has.
fn agree_with_depth(id: u32, points: &[KeyPoint], numbers: &AovImages, camera: &Camera) {
    for point in points
        .iter()
        .filter(|point| point.seen != KeyPointVisibility::Unlabelled)
    {
        let (x, y) = (point.pixel.x as u32, point.pixel.y as u32);
        let before = point.depth - numbers.depth_at(x, y);
        let owner = numbers.ids()[(y * SIZE.0 + x) as usize];
        match point.seen {
            KeyPointVisibility::Visible => {
                assert!(before < 0.35, "{id}: a visible point is {before} m behind something")
            }
            KeyPointVisibility::Hidden => assert!(before > 0.02, "{id}: nothing is in front of a hidden point"),
            KeyPointVisibility::Unlabelled => {}
        }
        if point.seen == KeyPointVisibility::Visible && before > 0.25 {
            assert_eq!(
                owner, id,
                "another person is in front of a visible point of {id}, seen from {}",
                camera.eye
            );
        }
    }
}

#[test]
fn what_heroes_do_is_measured_and_labelled_too() {
    let mut config = config("plaza", 24);
    let wave = "count = 24\nlayers = [{ clip = \"wave\", joint = \"upper_arm_r\" }]\n";
    config.scene.heroes = vec![toml::from_str(wave).expect("heroes")];
    let Some(mut aov_renderer) = aov_renderer(&config, Technique::Matrix) else {
        return;
    };
    assert!(!aov_renderer.scene.heroes.is_empty(), "somebody waves");
    let moment = among(&config, &aov_renderer, 5.1);
    let kinds = [AovKind::Ids, AovKind::Depth];
    let numbers = aov_renderer.numbers(&moment, None, SIZE, &kinds).expect("draws");
    let labels = Labels::of(&mut aov_renderer, &moment, &numbers, &ALL).expect("labels");
    let brute = brute_force(&mut aov_renderer, &moment, &numbers);
    agree(&labels, &brute, "heroes");
    motion_leads_to_the_next(Technique::Matrix, &config, false);
}

#[test]
fn aovs_hold_normals_albedo_and_scenery_ids() {
    let mut config = config("plaza", 24);
    config.render.technique = Technique::Matrix;
    let Some(mut aov_renderer) = aov_renderer(&config, Technique::Matrix) else {
        return;
    };
    let moment = FrameParameters::of(&config, &aov_renderer.scene, 3.0).expect("a view");
    let numbers = aov_renderer
        .numbers(&moment, Some(&moment), SIZE, &AovKind::ALL)
        .expect("draws");
    let throng::aov::AovValues::F16(normals) = &numbers.layers[&AovKind::Normal] else {
        panic!("normals are not f16")
    };
    let throng::aov::AovValues::F16(albedo) = &numbers.layers[&AovKind::Albedo] else {
        panic!("colours are not f16")
    };
    let (mut people, mut scenery, mut colors) = (0, 0, std::collections::BTreeSet::new());
    for (at, &id) in numbers.ids().iter().enumerate() {
        let normal = Vec3::from([0, 1, 2].map(|i| normals[4 * at + i].to_f32()));
        let color = [0, 1, 2].map(|i| albedo[4 * at + i].to_f32());
        if numbers.floats(AovKind::Depth)[at].is_infinite() {
            assert_eq!((id, normal, color), (0, Vec3::ZERO, [0.0; 3]), "the sky at {at}");
            continue;
        }
        assert!((normal.length() - 1.0).abs() < 2e-3, "{normal} at {at}");
        assert!(color.iter().all(|c| (0.0..=1.5).contains(c)), "{color:?} at {at}");
        match id {
            0 => assert_eq!(normal, Vec3::Y),
            id if id & ID_SCENERY != 0 => scenery += 1,
            id if id & ID_ATTACHMENT != 0 => {}
            _ => {
                people += 1;
                colors.insert(color.map(|c| (c * 20.0) as u32));
            }
        }
    }
    assert!(
        people > 100 && scenery > 100,
        "{people} pixels of people, {scenery} of scenery"
    );
    assert!(colors.len() > 8, "{} colours", colors.len());
}

#[test]
fn an_observer_opens_by_itself() {
    if common::gpu::open().is_none() {
        return;
    }
    let config = config("plaza", 3);
    let mut aov_renderer = AovRenderer::open(
        &config,
        &common::gpu::choice(),
        (None, DrawPath::Plain),
        LodMaker::default(),
    )
    .expect("opens");
    let moment = FrameParameters::of(&config, &aov_renderer.scene, 1.0).expect("a view");
    let picture = aov_renderer
        .picture(std::slice::from_ref(&moment), SIZE)
        .expect("draws");
    assert_eq!(picture.len(), (SIZE.0 * SIZE.1 * 4) as usize);
    assert!(picture.chunks_exact(4).any(|p| p != &picture[..4]), "one colour");
    let mut more = config.clone();
    more.scene.count = 9;
    aov_renderer.repopulate(&more).expect("fits");
    assert_eq!(aov_renderer.scene.everyone().count(), 9);
}
