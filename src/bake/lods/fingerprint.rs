//! Fingerprint of the content that the LODs of a character depend on, 128 bits. LODs made earlier stay valid while it
//! and [`VERSION`](super::VERSION) are the same.

use crate::model::{
    AlphaMode, Channel, Clip, Digest, Image, Interpolation, Joint, Keys, Material, Mesh, Model, Morph, MorphChannel,
    MorphDelta, PaletteSlot, Skeleton, TextureRef, TextureWrap, Transform, Vertex,
};

/// Version of LODs of characters with morph targets only; a change does not invalidate other LODs.
const MORPH_VERSION: u64 = 1;

/// Fingerprint of all content that [`make_lods`](super::make_lods) uses, 32 hexadecimal digits. It reads all of that
/// content.
#[must_use]
pub fn fingerprint(model: &Model) -> String {
    let mut digest = Digest::new();
    skeleton(&mut digest, &model.skeleton);
    mesh(&mut digest, &model.mesh);
    digest.word(u64::from(model.flat));
    let (rest, stored) = (model.rest_bounds(), model.mesh.bounds());
    if rest != stored {
        // LODs of versions that measured the stored mesh are of another height.
        digest.floats(&rest.size().to_array());
    }
    let Model {
        materials,
        images,
        clips,
        morphs,
        ..
    } = model;
    each(&mut digest, materials, |digest, m| material(digest, m, images));
    each(&mut digest, clips, clip);
    each(&mut digest, morphs, morph);
    if !morphs.is_empty() {
        digest.word(MORPH_VERSION);
    }
    digest.hexadecimal()
}

/// Adds the length of a list, and each entry.
fn each<T>(digest: &mut Digest, list: &[T], add: impl Fn(&mut Digest, &T)) {
    digest.word(list.len() as u64);
    list.iter().for_each(|one| add(digest, one));
}

// Every field is named, so that a new field does not compile until it is considered here.

fn skeleton(
    digest: &mut Digest,
    Skeleton {
        joints,
        slots,
        sockets: _,
        roles: _,
        bones: _,
    }: &Skeleton,
) {
    each(digest, joints, |digest, Joint { name: _, parent, rest }| {
        digest.word(parent.map_or(u64::MAX, u64::from));
        let Transform {
            translation,
            rotation,
            scale,
        } = rest;
        digest.floats(&translation.to_array());
        digest.floats(&rotation.to_array());
        digest.floats(&scale.to_array());
    });
    each(digest, slots, |digest, PaletteSlot { joint, inverse_bind }| {
        digest.word(u64::from(*joint));
        digest.floats(&inverse_bind.to_cols_array());
    });
}

fn mesh(digest: &mut Digest, Mesh { vertices, indices }: &Mesh) {
    digest.bytes(bytemuck::cast_slice(indices));
    each(digest, vertices, |digest, vertex| {
        let Vertex {
            position,
            normal,
            tangent,
            uv,
            uv1,
            color,
            material,
            joints,
            weights,
        } = vertex;
        let shown = [&position.to_array()[..], &normal.to_array(), &tangent.to_array()];
        shown.into_iter().for_each(|numbers| digest.floats(numbers));
        let looks = [&uv.to_array()[..], &uv1.to_array(), &color.to_array(), weights];
        looks.into_iter().for_each(|numbers| digest.floats(numbers));
        digest.word(u64::from(*material));
        digest.bytes(bytemuck::cast_slice(joints));
    });
}

fn material(digest: &mut Digest, material: &Material, images: &[Image]) {
    let Material {
        base_color,
        base_color_texture,
        emissive,
        unlit,
        double_sided,
        alpha,
        roughness,
        tints,
        color_occludes,
        // Pictures that evaluate LODs do not show these fields.
        name: _,
        metallic: _,
        metallic_roughness_texture: _,
        normal_texture: _,
        normal_scale: _,
        occlusion_texture: _,
        occlusion_strength: _,
        emissive_texture: _,
    } = material;
    digest.floats(&base_color.to_array());
    digest.floats(&emissive.to_array());
    digest.floats(&[*roughness]);
    digest.word(u64::from(*unlit) | u64::from(*double_sided) << 1 | u64::from(*color_occludes) << 2);
    tints.iter().for_each(|tint| digest.word(*tint as u64));
    digest.word(match alpha {
        AlphaMode::Opaque => 0,
        AlphaMode::Mask(cutoff) => 1 << 32 | u64::from(cutoff.to_bits()),
        AlphaMode::Blend => 2 << 32,
    });
    let Some(TextureRef {
        image,
        second,
        wrap,
        nearest: _,
    }) = base_color_texture
    else {
        return digest.word(u64::MAX);
    };
    let wrapped = wrap.map(|wrap| match wrap {
        TextureWrap::Repeat => 0,
        TextureWrap::Mirror => 1,
        TextureWrap::Clamp => 2,
    });
    digest.word(u64::from(*second) | wrapped[0] << 1 | wrapped[1] << 3);
    if let Some(Image {
        name: _,
        width,
        height,
        rgba,
    }) = images.get(*image as usize)
    {
        digest.word(u64::from(*width) << 32 | u64::from(*height));
        digest.bytes(rgba);
    }
}

fn clip(digest: &mut Digest, clip: &Clip) {
    let Clip {
        duration,
        channels,
        morphs,
        // Poses do not depend on these fields.
        name: _,
        file_start: _,
        wrap: _,
        speed: _,
        turn: _,
        events: _,
    } = clip;
    digest.floats(&[*duration]);
    each(digest, channels, |digest, channel| {
        let Channel {
            joint,
            interpolation,
            times,
            keys,
        } = channel;
        digest.word(u64::from(*joint));
        add_interpolation(digest, *interpolation);
        digest.floats(times);
        match keys {
            Keys::Translation(values) => digest.bytes(bytemuck::cast_slice(values)),
            Keys::Rotation(values) => digest.bytes(bytemuck::cast_slice(values)),
            Keys::Scale(values) => digest.bytes(bytemuck::cast_slice(values)),
        }
        digest.word(match keys {
            Keys::Translation(_) => 0,
            Keys::Rotation(_) => 1,
            Keys::Scale(_) => 2,
        });
    });
    each(digest, morphs, |digest, channel| {
        let MorphChannel {
            morph,
            interpolation,
            times,
            values,
        } = channel;
        digest.word(u64::from(*morph));
        add_interpolation(digest, *interpolation);
        digest.floats(times);
        digest.floats(values);
    });
}

fn add_interpolation(digest: &mut Digest, interpolation: Interpolation) {
    digest.word(match interpolation {
        Interpolation::Step => 0,
        Interpolation::Linear => 1,
        Interpolation::CubicSpline => 2,
    });
}

fn morph(digest: &mut Digest, Morph { name: _, rest, deltas }: &Morph) {
    digest.floats(&[*rest]);
    each(digest, deltas, |digest, delta| {
        let MorphDelta {
            vertex,
            position,
            normal,
            tangent,
        } = delta;
        digest.word(u64::from(*vertex));
        digest.floats(&[position.to_array(), normal.to_array(), tangent.to_array()].concat());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TintRegion;

    /// Materials count in the fingerprint exactly as far as pictures that evaluate LODs show them.
    #[test]
    fn fingerprint_covers_the_material_properties_that_evaluation_shows() {
        let of = |change: fn(&mut Material)| {
            let mut material = Material::default();
            change(&mut material);
            fingerprint(&Model {
                materials: vec![material],
                ..Model::default()
            })
        };
        let plain = of(|_| ());
        let seen: [fn(&mut Material); 7] = [
            |m| m.base_color.x = 0.5,
            |m| m.emissive.y = 0.5,
            |m| m.roughness = 0.3,
            |m| m.tints[3] = TintRegion::Hair,
            |m| m.color_occludes = true,
            |m| m.unlit = true,
            |m| m.alpha = AlphaMode::Mask(0.5),
        ];
        for (number, change) in seen.into_iter().enumerate() {
            assert_ne!(of(change), plain, "{number}");
        }
        let unseen: [fn(&mut Material); 3] = [|m| m.name = "x".into(), |m| m.metallic = 1.0, |m| m.normal_scale = 2.0];
        for (number, change) in unseen.into_iter().enumerate() {
            assert_eq!(of(change), plain, "{number}");
        }
    }
}
