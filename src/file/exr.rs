//! OpenEXR files: pictures with arbitrary channels, losslessly compressed.

use std::{io::Cursor, path::Path};

use anyhow::{Context, Result};
use exr::{
    image::{AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, read::read_first_flat_layer_from_file},
    meta::header::LayerAttributes,
    prelude::{Blocks, Compression, LineOrder, WritableImage},
};
use glam::Mat4;
use half::f16;

/// Samples of a channel, rows from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub enum ExrSamples {
    /// 16-bit floats.
    F16(Vec<f16>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
}

/// A named channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ExrChannel {
    /// Name, such as `Z` or `normal.X`.
    pub name: String,
    /// Samples, as many as the picture has pixels.
    pub samples: ExrSamples,
}

impl ExrChannel {
    /// Makes a channel.
    #[must_use]
    pub fn new(name: &str, samples: ExrSamples) -> Self {
        let name = name.to_owned();
        Self { name, samples }
    }
}

/// Camera of a picture, in the attributes that compositing programs read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraMatrices {
    /// Attribute `worldToCamera`.
    pub view_from_world: Mat4,
    /// Attribute `worldToNDC`.
    pub projection_from_world: Mat4,
}

/// Encodes a file.
///
/// # Errors
/// Channels of another size than the picture.
pub fn encode(size: (u32, u32), channels: Vec<ExrChannel>, camera: Option<CameraMatrices>) -> Result<Vec<u8>> {
    let size = (size.0 as usize, size.1 as usize);
    let channel = |channel: ExrChannel| {
        let samples = match channel.samples {
            ExrSamples::F16(samples) => FlatSamples::F16(samples),
            ExrSamples::F32(samples) => FlatSamples::F32(samples),
            ExrSamples::U32(samples) => FlatSamples::U32(samples),
        };
        AnyChannel::new(channel.name.as_str(), samples)
    };
    let channels: Vec<_> = channels.into_iter().map(channel).collect();
    let whole = |channel: &AnyChannel<FlatSamples>| channel.sample_data.len() == size.0 * size.1;
    anyhow::ensure!(channels.iter().all(whole), "a channel is not as large as its picture");
    let encoding = Encoding {
        compression: Compression::ZIP16,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    // The format's matrices multiply row vectors: its rows are our columns.
    let attributes = LayerAttributes {
        world_to_camera: camera.map(|camera| camera.view_from_world.to_cols_array()),
        world_to_normalized_device: camera.map(|camera| camera.projection_from_world.to_cols_array()),
        software_name: Some("throng".into()),
        ..LayerAttributes::default()
    };
    let layer = Layer::new(size, attributes, encoding, AnyChannels::sort(channels.into()));
    let mut bytes = Cursor::new(Vec::new());
    let written = Image::from_layer(layer).write().non_parallel().to_buffered(&mut bytes);
    written.context("encoding OpenEXR")?;
    Ok(bytes.into_inner())
}

/// Reads the size and the channels of a file.
///
/// # Errors
/// A file that is missing, truncated or not OpenEXR.
pub fn read(path: &Path) -> Result<((u32, u32), Vec<ExrChannel>)> {
    let image = read_first_flat_layer_from_file(path).with_context(|| format!("reading {}", path.display()))?;
    let layer = image.layer_data;
    let size = (layer.size.0 as u32, layer.size.1 as u32);
    let channels = layer.channel_data.list.into_iter().map(|channel| {
        let samples = match channel.sample_data {
            FlatSamples::F16(samples) => ExrSamples::F16(samples),
            FlatSamples::F32(samples) => ExrSamples::F32(samples),
            FlatSamples::U32(samples) => ExrSamples::U32(samples),
        };
        ExrChannel::new(&channel.name.to_string(), samples)
    });
    Ok((size, channels.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.exr");
        let channels = vec![
            ExrChannel::new("A", ExrSamples::U32(vec![0, 1, u32::MAX, 0x8000_0001, 7, 9])),
            ExrChannel::new(
                "Y",
                ExrSamples::F16([0.5, -1.0, 2.0, 0.0, 1.0, 3.0].map(f16::from_f32).to_vec()),
            ),
            ExrChannel::new("Z", ExrSamples::F32(vec![0.1, f32::INFINITY, 3e38, -0.0, 1.0, 2.0])),
        ];
        let camera = CameraMatrices {
            view_from_world: Mat4::IDENTITY,
            projection_from_world: Mat4::from_cols_array(&std::array::from_fn(|i| i as f32)),
        };
        let bytes = encode((3, 2), channels.clone(), Some(camera)).expect("encodes");
        std::fs::write(&path, &bytes).expect("written");
        assert_eq!(read(&path).expect("reads"), ((3, 2), channels));
        // Equal pictures give equal files.
        let again = encode((3, 2), read(&path).expect("reads").1, Some(camera)).expect("encodes");
        assert!(again == bytes);
        std::fs::write(&path, &bytes[..bytes.len() - 20]).expect("cut off");
        assert!(read(&path).is_err());
        assert!(encode((3, 3), vec![ExrChannel::new("Z", ExrSamples::F32(vec![0.0; 6]))], None).is_err());
    }
}
