//! All labels of one picture.

use std::collections::HashMap;

use anyhow::Result;

use crate::{
    aov::{AovImages, AovRenderer, FrameParameters},
    label::{Box2, KeyPoint, KeyPoints, Mapping, Rle, Visible, visible},
    render::{Amodal, AmodalBox, passes::AovKind},
    scene::{PersonRef, PosedPerson, Scene},
};

/// Options of labels.
#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// Mapping from joints to key points.
    pub mapping: Mapping,
    /// Minimum number of visible pixels of labelled people; 0 also labels people who are entirely occluded.
    pub least_pixels: u32,
    /// Standard deviation of the Gaussians of a density map (px), if one is requested.
    pub density: Option<f32>,
}

/// Mapping of the built-in characters, everyone with a visible pixel, no density map.
impl Default for LabelOptions {
    fn default() -> Self {
        Self {
            mapping: Mapping::built_in(),
            least_pixels: 1,
            density: None,
        }
    }
}

/// Labels of one person in a picture.
#[derive(Clone, Debug)]
pub struct PersonLabel {
    /// Value in the id AOV: the number of the person plus one.
    pub id: u32,
    /// Character and index of the person.
    pub who: PersonRef,
    /// Name of the character.
    pub character: String,
    /// Name of the clip that plays, or that is faded to.
    pub clip: String,
    /// Time within the clip (s).
    pub clip_seconds: f32,
    /// Point between the feet in world space (m).
    pub position: [f32; 3],
    /// Heading (degrees): 0 faces +Z, positive turns towards +X.
    pub heading: f32,
    /// Scale relative to the character.
    pub scale: f32,
    /// Scale of width and depth relative to the height.
    pub width_scale: f32,
    /// Amodal box: around the person without occluders, within the picture.
    pub full_box: Box2,
    /// Amodal box that is not clipped to the picture; `None` if a part is behind the camera.
    pub unclipped_box: Option<Box2>,
    /// Box of the visible pixels.
    pub visible_box: Option<Box2>,
    /// Number of amodal pixels, within the picture.
    pub full_pixels: u32,
    /// Number of visible pixels.
    pub visible_pixels: u32,
    /// Mask of the visible pixels.
    pub mask: Rle,
    /// Key points in the order of [`COCO_POINTS`](crate::label::COCO_POINTS).
    pub key_points: [KeyPoint; 17],
}

/// Labels of all people in a picture.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Picture size (px).
    pub size: (u32, u32),
    /// People by id.
    pub people: Vec<PersonLabel>,
}

impl Labels {
    /// Labels a picture whose `numbers` have [`AovKind::Ids`] and [`AovKind::Depth`].
    ///
    /// # Errors
    /// Errors of [`AovRenderer::amodal`].
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

    /// Labels people of a scene with enough visible pixels, from the AOVs and the amodal extents of a picture.
    pub(super) fn from_aovs(
        scene: &Scene,
        (points, least_pixels): (&[KeyPoints], u32),
        (moment, numbers): (&FrameParameters, &AovImages),
        amodal: &[Amodal],
    ) -> Self {
        let seen = visible(numbers.ids(), numbers.size);
        let label = |(number, who): (u32, PersonRef)| {
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
        // One thread labels a picture: other threads label other pictures, and the renderer must not wait in their
        // queue.
        let people = (0..).zip(scene.everyone()).filter_map(label).collect();
        Self {
            size: numbers.size,
            people,
        }
    }

    /// Returns the names of characters for which a mapping finds no point: their people have no key points.
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
    (number, who): (u32, PersonRef),
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

/// Returns the box of all pixels whose centres lie between the outermost vertices.
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
