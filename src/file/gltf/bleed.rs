//! Colour of transparent texels: filled from their neighbours, since filtering mixes it into visible ones.
//!
//! Many exporters leave it black, which draws dark fringes around hair, lashes and leaves. Filling uses a pyramid of
//! means weighted by alpha (push-pull).

use crate::model::{AlphaMode, Image, Material, TextureKind};

/// Fills the transparent texels of images that are drawn with transparency and nowhere else.
pub(super) fn fill(images: &mut [Image], materials: &[Material]) {
    let mut transparent = vec![false; images.len()];
    let mut opaque = vec![false; images.len()];
    for material in materials {
        for (kind, texture) in material.textures() {
            let is_transparent = kind == TextureKind::BaseColor && material.alpha != AlphaMode::Opaque;
            let list = if is_transparent { &mut transparent } else { &mut opaque };
            if let Some(used) = list.get_mut(texture.image as usize) {
                *used = true;
            }
        }
    }
    for (index, image) in images.iter_mut().enumerate() {
        if transparent[index] && !opaque[index] {
            let mut rgba = image.rgba.to_vec();
            if fill_texels(&mut rgba, [image.width as usize, image.height as usize]) {
                image.rgba = rgba.into();
            }
        }
    }
}

/// Gives transparent texels the mean colour of the visible ones around them; false if nothing changes.
fn fill_texels(rgba: &mut [u8], size: [usize; 2]) -> bool {
    let (texels, _) = rgba.as_chunks_mut::<4>();
    let visible = texels.iter().filter(|texel| texel[3] > 0).count();
    if texels.len() != size[0] * size[1] || visible == 0 || visible == texels.len() {
        return false;
    }
    fill_level(texels, size);
    true
}

fn fill_level(texels: &mut [[u8; 4]], size: [usize; 2]) {
    let [width, height] = size;
    if texels.iter().all(|texel| texel[3] > 0) || width * height <= 1 {
        return;
    }
    let half = [width.div_ceil(2), height.div_ceil(2)];
    let mut means: Vec<[u8; 4]> = Vec::with_capacity(half[0] * half[1]);
    for y in 0..half[1] {
        for x in 0..half[0] {
            let mut sums = [0_u32; 4];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = (2 * x + dx, 2 * y + dy);
                if x < width && y < height {
                    let texel = texels[y * width + x];
                    let alpha = u32::from(texel[3]);
                    (0..3).for_each(|channel| sums[channel] += alpha * u32::from(texel[channel]));
                    sums[3] += alpha;
                }
            }
            let mean = |channel: usize| (sums[channel] / sums[3].max(1)) as u8;
            means.push([mean(0), mean(1), mean(2), sums[3].min(255) as u8]);
        }
    }
    fill_level(&mut means, half);
    for y in 0..height {
        for x in 0..width {
            let texel = &mut texels[y * width + x];
            if texel[3] == 0 {
                let [r, g, b, _] = means[y / 2 * half[0] + x / 2];
                // Coarser levels carry the colour on, so they count as visible from here on.
                *texel = [r, g, b, 0];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn transparent_texels_take_the_colour_around_them() {
        // An orange disc on transparent black, 33 x 17.
        let size = [33, 17];
        let inside = |x: usize, y: usize| (x as i32 - 16).pow(2) + (y as i32 - 8).pow(2) < 36;
        let mut rgba: Vec<u8> = (0..size[1])
            .flat_map(|y| (0..size[0]).map(move |x| (x, y)))
            .flat_map(|(x, y)| if inside(x, y) { [250, 120, 10, 255] } else { [0; 4] })
            .collect();
        let alpha = |rgba: &[u8]| rgba.iter().skip(3).step_by(4).copied().collect::<Vec<u8>>();
        let before = alpha(&rgba);
        assert!(fill_texels(&mut rgba, size));
        assert_eq!(alpha(&rgba), before, "alpha is kept");
        assert!(rgba.as_chunks::<4>().0.iter().all(|texel| texel[..3] == [250, 120, 10]));
        assert!(!fill_texels(&mut [0; 16], [2, 2]), "nothing is visible");
    }

    proptest! {
        #[test]
        fn visible_texels_and_alpha_are_kept(
            (width, rgba) in (1_usize..9, 1_usize..9).prop_flat_map(|(w, h)| (Just(w), prop::collection::vec(any::<u8>(), 4 * w * h)))
        ) {
            let height = rgba.len() / 4 / width;
            let mut filled = rgba.clone();
            fill_texels(&mut filled, [width, height]);
            for (was, is) in rgba.as_chunks::<4>().0.iter().zip(filled.as_chunks::<4>().0) {
                prop_assert!(was[3] == is[3] && (was[3] == 0 || was == is));
            }
        }
    }
}
