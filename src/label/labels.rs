//! All labels of one picture.

use std::collections::HashMap;

use anyhow::Result;

use crate::{
    aov::{AovImages, AovRenderer, FrameParameters},
    label::{Box2, KeyPoint, KeyPoints, Mapping, Rle, Visible, visible},
    render::{Amodal, AmodalBox, passes::AovKind},
    scene::{PosedPerson, Scene, Selected},
};

/// Options of labels.
#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// Which joints are which points.
    pub mapping: Mapping,
    /// Fewest visible pixels of those who are labelled; 0 labels those who are wholly hidden too.
    pub least_pixels: u32,
    /// Pixels of the bells of a density map, where one is wanted.
    pub density: Option<f32>,
}

/// Our own characters, everyone of whom a pixel is seen, no density map.
impl Default for LabelOptions {
    fn default() -> Self {
        Self {
            mapping: Mapping::built_in(),
            least_pixels: 1,
            density: None,
        }
    }
}

/// Somebody in a picture.
#[derive(Clone, Debug)]
pub struct PersonLabel {
    /// Value in the id pass: the number of the person and one.
    pub id: u32,
    /// Which one it is.
    pub who: Selected,
    /// Name of the character.
    pub character: String,
    /// Name of the clip that is played, or faded to.
    pub clip: String,
    /// Seconds into the clip.
    pub clip_seconds: f32,
    /// Between the feet, world space, metres.
    pub position: [f32; 3],
    /// Degrees; 0 faces +Z, positive turns towards +X.
    pub heading: f32,
    /// Size against the character's own.
    pub scale: f32,
    /// How broad and deep for the height.
    pub width_scale: f32,
    /// Around the person drawn alone, within the picture.
    pub full_box: Box2,
    /// Box beyond the picture's edges; `None` if a part is behind the camera.
    pub unclipped_box: Option<Box2>,
    /// Around what is seen.
    pub visible_box: Option<Box2>,
    /// Pixels of the person drawn alone, within the picture.
    pub full_pixels: u32,
    /// Pixels seen.
    pub visible_pixels: u32,
    /// Mask of the visible pixels.
    pub mask: Rle,
    /// In the order of [`COCO_POINTS`](crate::label::COCO_POINTS).
    pub key_points: [KeyPoint; 17],
}

/// Everybody in a picture.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Pixels.
    pub size: (u32, u32),
    /// People by id.
    pub people: Vec<PersonLabel>,
}

impl Labels {
    /// Labels a picture whose `numbers` have [`AovKind::Ids`] and [`AovKind::Depth`].
    ///
    /// # Errors
    /// As [`AovRenderer::amodal`].
    pub fn of(
        aov_renderer: &mut AovRenderer,
        moment: &FrameParameters,
        numbers: &AovImages,
        options: &LabelOptions,
    ) -> Result<Self> {
        let drawn = |kind| numbers.layers.contains_key(&kind);
        anyhow::ensure!(
            drawn(AovKind::Ids) && drawn(AovKind::Depth),
            "labels need the ids and the depth of their picture"
        );
        let amodal = aov_renderer.amodal(moment, numbers.size)?;
        let points = KeyPoints::of_all(&aov_renderer.scene, &options.mapping);
        let least_pixels = options.least_pixels;
        Ok(Self::from_aovs(
            &aov_renderer.scene,
            (&points, least_pixels),
            (moment, numbers),
            &amodal,
        ))
    }

    /// Labels those of a scene of whom so many pixels are seen, from what was told of a picture and what everyone
    /// covers alone.
    pub(super) fn from_aovs(
        scene: &Scene,
        (points, least_pixels): (&[KeyPoints], u32),
        (moment, numbers): (&FrameParameters, &AovImages),
        amodal: &[Amodal],
    ) -> Self {
        let seen = visible(numbers.ids(), numbers.size);
        let label = |(number, who): (u32, Selected)| {
            let amodal = amodal.get(number as usize).filter(|amodal| !amodal.bounds.is_empty())?;
            let seen = seen.get(&number);
            let pixels = seen.map_or(0, |seen| seen.pixels);
            if pixels < least_pixels {
                return None;
            }
            let eye = moment.camera.eye;
            let person = scene.posed(who, moment.input.clock, eye, &scene.heroes)?;
            let points = points.get(who.character)?;
            Some(person_label(
                (number, who),
                &person,
                (amodal, seen),
                (moment, numbers, points),
            ))
        };
        // On one thread: others label the pictures around it, and whoever draws the next must not stand in line behind
        // them.
        let people = (0..).zip(scene.everyone()).filter_map(label).collect();
        Self {
            size: numbers.size,
            people,
        }
    }

    /// Names of characters of a scene that a mapping finds no point of: theirs are unlabelled.
    #[must_use]
    pub fn unmapped(scene: &Scene, mapping: &Mapping) -> Vec<String> {
        let mut characters = HashMap::new();
        for character in &scene.characters {
            let count = KeyPoints::of(character, mapping).count();
            characters.insert(character.model.name.clone(), count);
        }
        let mut names: Vec<String> = { characters.into_iter() }
            .filter(|(_, count)| *count == 0)
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    }
}

fn person_label(
    (number, who): (u32, Selected),
    person: &PosedPerson<'_>,
    (amodal, seen): (&Amodal, Option<&Visible>),
    (moment, numbers, points): (&FrameParameters, &AovImages, &KeyPoints),
) -> PersonLabel {
    let playing = person.pose.moment.to;
    let clip = person.character.palettes.clips.get(playing.clip as usize);
    let full_box = box_of(amodal.bounds);
    let runs = seen.map_or(&[][..], |seen| &seen.runs);
    PersonLabel {
        id: number + 1,
        who,
        character: person.character.model.name.clone(),
        clip: clip.map_or_else(String::new, |clip| clip.name.clone()),
        clip_seconds: playing.position * clip.map_or(0.0, |clip| clip.duration),
        position: person.pose.position.to_array(),
        heading: person.pose.yaw.to_degrees(),
        scale: person.instance.scale(),
        width_scale: person.instance.width_scale(),
        full_box,
        unclipped_box: if touches_edge(full_box, numbers.size) {
            projected_box(person, moment, numbers.size).map(|whole| whole.around(full_box))
        } else {
            Some(full_box)
        },
        visible_box: seen.map(|seen| seen.bounds),
        full_pixels: amodal.pixels,
        visible_pixels: seen.map_or(0, |seen| seen.pixels),
        mask: Rle::from_segments(numbers.size, runs),
        key_points: points.seen(person, &moment.camera, numbers),
    }
}

fn box_of(bounds: AmodalBox) -> Box2 {
    Box2 {
        left: bounds.left.into(),
        top: bounds.top.into(),
        right: bounds.right.into(),
        bottom: bounds.bottom.into(),
    }
}

fn touches_edge(inside: Box2, (width, height): (u32, u32)) -> bool {
    inside.left == 0 || inside.top == 0 || inside.right == i64::from(width) || inside.bottom == i64::from(height)
}

/// Around all pixels whose centres lie between the outermost vertices.
fn projected_box(person: &PosedPerson<'_>, moment: &FrameParameters, size: (u32, u32)) -> Option<Box2> {
    let size = glam::Vec2::new(size.0 as f32, size.1 as f32);
    let (mut least, mut most) = (glam::Vec2::MAX, glam::Vec2::MIN);
    for vertex in person.vertices() {
        let pixel = moment.camera.pixel_of(vertex, size)?;
        (least, most) = (least.min(pixel), most.max(pixel));
    }
    let (first, last) = ((least - 0.5).ceil(), (most - 0.5).floor());
    Some(Box2 {
        left: first.x as i64,
        top: first.y as i64,
        right: last.x as i64 + 1,
        bottom: last.y as i64 + 1,
    })
}
