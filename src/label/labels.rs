//! All labels of one picture.

use anyhow::Result;
use glam::{Vec2, Vec3};

use crate::{
    aov::{AovImages, AovRenderer, FrameParameters, LensWarp},
    label::{
        Body, Box2, Box3, Categories, JointSet, KeyPoint, LabelOptions, LabelRules, PersonSurface, Rle, Visible,
        visible,
    },
    render::{Amodal, AmodalBox, crowd::AmodalRuns, passes::AovKind},
    scene::{PersonRef, PersonTrack, PosedPerson, Scene},
};

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
    /// Pixel of that point, in the picture or not; `None` where the camera faces away from it.
    pub ground_point: Option<Vec2>,
    /// Trajectory that the person follows, if any.
    pub track: Option<PersonTrack>,
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
    /// Key points in the order of the picture's [`JointSet`].
    pub key_points: Vec<KeyPoint>,
    /// Index into the picture's categories.
    pub category: u32,
    /// Share of the person within the picture that something hides: 0..=1.
    pub occlusion: f32,
    /// Share of the person's surface that lies outside the picture: 0..=1.
    pub truncation: f32,
    /// Box around the head without occluders, within the picture.
    pub head_box: Option<Box2>,
    /// Mask of the person without occluders, if amodal masks are requested.
    pub amodal_mask: Option<Rle>,
    /// Box in the world, if a format needs it.
    pub box_3d: Option<Box3>,
}

/// Labels of all people in a picture.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Picture size (px).
    pub size: (u32, u32),
    /// People by id.
    pub people: Vec<PersonLabel>,
    /// Set of the key points.
    pub joints: JointSet,
    /// Names of the categories.
    pub categories: Vec<String>,
    /// Points on the surface of everybody in the picture, seen or not; none unless point tracks are requested.
    pub surface: Vec<PersonSurface>,
    /// Rules by which the labels are made.
    pub rules: LabelRules,
}

/// Inputs of labels that a scene's pictures share.
#[derive(Clone, Copy)]
pub(super) struct LabelScene<'a> {
    /// Scene of the picture.
    pub(super) scene: &'a Scene,
    /// Bodies of the scene's characters, in their order.
    pub(super) bodies: &'a [Body],
    /// Options of labels.
    pub(super) options: &'a LabelOptions,
}

/// Amodal extents of everyone, by number, and their masks; no masks if they are not requested.
pub(super) struct AmodalPeople {
    pub(super) extents: Vec<Amodal>,
    pub(super) masks: Vec<AmodalRuns>,
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
        let (drawn, size) = moment.drawn(numbers.size);
        let keeps_masks = options.amodal_masks || moment.lens.is_some();
        let mut amodal = aov_renderer.amodal_people(drawn, size, keeps_masks)?;
        if let Some(warp) = LensWarp::of(moment, numbers.size) {
            amodal = warp.amodal(&amodal.0, &amodal.1);
        }
        let bodies = Body::of_all(&aov_renderer.scene, options);
        let scene = LabelScene {
            scene: &aov_renderer.scene,
            bodies: &bodies,
            options,
        };
        let (extents, masks) = amodal;
        Ok(Self::from_aovs(
            scene,
            moment,
            numbers,
            &AmodalPeople { extents, masks },
        ))
    }

    /// Labels people of a scene with enough visible pixels, from the AOVs and the amodal extents of a picture.
    pub(super) fn from_aovs(
        scene: LabelScene<'_>,
        moment: &FrameParameters,
        numbers: &AovImages,
        amodal: &AmodalPeople,
    ) -> Self {
        let all_visible = visible(numbers.ids(), numbers.size);
        let eye = moment.camera.eye;
        let label = |(number, who): (u32, PersonRef)| {
            // Vehicles hide people and are none.
            if scene.scene.is_vehicle(who) {
                return None;
            }
            let extent = amodal.extents.get(number as usize);
            let extent = extent.filter(|extent| !extent.bounds.is_empty())?;
            let visible = all_visible.get(&number);
            if visible.map_or(0, |visible| visible.pixels) < scene.options.least_pixels {
                return None;
            }
            let person = scene.scene.posed(who, moment.input.clock, eye, &scene.scene.heroes)?;
            let picture = PersonInPicture {
                moment,
                numbers,
                body: scene.bodies.get(who.character)?,
                extent,
                visible,
            };
            let mask = amodal.masks.get(number as usize).filter(|_| scene.options.amodal_masks);
            let label = PersonLabel {
                id: number + 1,
                who,
                category: match scene.options.categories {
                    Categories::Person => 0,
                    Categories::Character => who.character as u32,
                },
                amodal_mask: mask.map(|runs| Rle::from_segments(numbers.size, runs)),
                track: scene.scene.track_of(who),
                ..picture.label(&person, scene.options.formats.need_boxes_3d())
            };
            Some(label)
        };
        // One thread labels a picture: other threads label other pictures, and the renderer must not wait in their
        // queue.
        let people = (0..).zip(scene.scene.everyone()).filter_map(label).collect();
        Self {
            size: numbers.size,
            people,
            surface: surface_of_everybody(scene, moment, numbers, amodal),
            joints: scene.options.joints,
            categories: category_names(scene.scene, scene.options.categories),
            rules: scene.options.rules,
        }
    }
}

/// Returns the tracked points of everybody who covers a pixel of the picture, seen or not.
fn surface_of_everybody(
    scene: LabelScene<'_>,
    moment: &FrameParameters,
    numbers: &AovImages,
    amodal: &AmodalPeople,
) -> Vec<PersonSurface> {
    let own = |(number, who): (u32, PersonRef)| {
        let body = scene.bodies.get(who.character)?;
        let extent = amodal.extents.get(number as usize)?;
        if body.surface_points.is_empty() || extent.bounds.is_empty() {
            return None;
        }
        let eye = moment.camera.eye;
        let person = scene.scene.posed(who, moment.input.clock, eye, &scene.scene.heroes)?;
        Some(PersonSurface {
            id: number + 1,
            track: scene.scene.track_of(who).map(|track| track.number),
            points: body.surface_points.seen(&person, number + 1, moment, numbers),
        })
    };
    (0..).zip(scene.scene.everyone()).filter_map(own).collect()
}

/// Returns the names of categories: `person`, or those of the characters, each once.
fn category_names(scene: &Scene, categories: Categories) -> Vec<String> {
    match categories {
        Categories::Person => vec!["person".to_owned()],
        Categories::Character => {
            let mut names: Vec<String> = Vec::new();
            for character in scene.people_characters() {
                let name = &character.model.name;
                let like = |names: &[String], name: &str| names.iter().any(|own| own == name);
                // Two files may hold characters of one name.
                let mut unique = name.clone();
                let mut number = 2;
                while like(&names, &unique) {
                    unique = format!("{name} {number}");
                    number += 1;
                }
                names.push(unique);
            }
            names
        }
    }
}

/// Person and the picture that they are labelled in.
struct PersonInPicture<'a> {
    moment: &'a FrameParameters,
    numbers: &'a AovImages,
    body: &'a Body,
    extent: &'a Amodal,
    visible: Option<&'a Visible>,
}

impl PersonInPicture<'_> {
    /// Labels a person: all but number, track, category and amodal mask.
    fn label(&self, person: &PosedPerson<'_>, needs_box_3d: bool) -> PersonLabel {
        let (moment, size) = (self.moment, self.numbers.size);
        let playing = person.pose.moment.to;
        let clip = person.character.palettes.clips.get(playing.clip as usize);
        let full_box = box_of(self.extent.bounds);
        let is_cut = touches_edge(full_box, size);
        let vertices = if is_cut || needs_box_3d {
            person.vertices()
        } else {
            Vec::new()
        };
        let visible_pixels = self.visible.map_or(0, |visible| visible.pixels);
        let shown = visible_pixels as f32 / self.extent.pixels.max(1) as f32;
        let runs = self.visible.map_or(&[][..], |visible| &visible.runs);
        PersonLabel {
            id: 0,
            who: PersonRef { character: 0, index: 0 },
            character: person.character.model.name.clone(),
            clip: clip.map_or_else(String::new, |clip| clip.name.clone()),
            clip_seconds: playing.position * clip.map_or(0.0, |clip| clip.duration),
            position: person.pose.position.to_array(),
            ground_point: moment.pixel_of(person.pose.position, size),
            track: None,
            heading: person.pose.yaw.to_degrees(),
            scale: person.instance.scale(),
            width_scale: person.instance.width_scale(),
            full_box,
            unclipped_box: if is_cut {
                unclipped(&vertices, moment, size).map(|whole| whole.around(full_box))
            } else {
                Some(full_box)
            },
            visible_box: self.visible.map(|visible| visible.bounds),
            full_pixels: self.extent.pixels,
            visible_pixels,
            mask: Rle::from_segments(size, runs),
            key_points: self.body.key_points.seen(person, moment, self.numbers),
            category: 0,
            occlusion: 1.0 - shown.clamp(0.0, 1.0),
            truncation: if is_cut {
                self.body.truncation(&vertices, moment, size)
            } else {
                0.0
            },
            head_box: self.body.head_box(person, moment, size),
            amodal_mask: None,
            box_3d: needs_box_3d.then(|| Box3::around(&vertices, person)).flatten(),
        }
    }
}

fn unclipped(vertices: &[Vec3], moment: &FrameParameters, size: (u32, u32)) -> Option<Box2> {
    Box2::around_points(vertices.iter().copied(), moment, size)
}

fn box_of(bounds: AmodalBox) -> Box2 {
    Box2 {
        left: bounds.left.into(),
        top: bounds.top.into(),
        right: bounds.right.into(),
        bottom: bounds.bottom.into(),
    }
}

fn touches_edge(inside: Box2, size: (u32, u32)) -> bool {
    let (width, height) = size;
    inside.left == 0 || inside.top == 0 || inside.right == i64::from(width) || inside.bottom == i64::from(height)
}
