//! Decompresses buffer views of EXT_meshopt_compression and its KHR successor.

use ::gltf::json;
use meshopt::encoding;
use serde::Deserialize;

use crate::file::{ModelError, gltf::document::Document};

const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Maximum number of decoded bytes for each compressed byte. The codec's own ceiling (a run of equal values) is about
/// this high, so a higher ratio is an attack.
const MAX_EXPANSION: usize = 2048;
/// Decoded size that the views of any file may have in total (bytes).
const FREE_BYTES: usize = 64 << 20;
/// Ratio of decoded bytes to the bytes of the file's buffers that is allowed above that; no real file comes near.
const MAX_EXPANSION_OF_FILE: usize = 64;

/// JSON object of the extension on a buffer view.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompressedView {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: usize,
    count: usize,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// True for the placeholder buffer that a compressed file keeps for old readers.
pub(crate) fn is_fallback(buffer: &json::Buffer) -> bool {
    let extensions = buffer.extensions.as_ref();
    NAMES.iter().any(|name| {
        let object = extensions.and_then(|e| e.others.get(*name));
        object.is_some_and(|o| o.get("fallback") == Some(&json::Value::Bool(true)))
    })
}

/// Decompresses every compressed buffer view.
pub(crate) fn decode_views(document: &Document<'_>) -> Result<Vec<Option<Vec<u8>>>, ModelError> {
    let stored = usize::try_from(document.loaded).unwrap_or(usize::MAX);
    let mut left = stored.saturating_mul(MAX_EXPANSION_OF_FILE).saturating_add(FREE_BYTES);
    let decode = |(index, view): (usize, &json::buffer::View)| {
        let extensions = view.extensions.as_ref();
        let object = extensions.and_then(|e| NAMES.iter().find_map(|name| e.others.get(*name)));
        let Some(object) = object else {
            return Ok(None);
        };
        let place = format!("buffer view {index}");
        CompressedView::deserialize(object)
            .map_err(|e| format!("invalid meshopt extension: {e}"))
            .and_then(|compressed| decode(document, &compressed, &mut left))
            .map(Some)
            .map_err(|problem| document.content(place, problem))
    };
    document.root.buffer_views.iter().enumerate().map(decode).collect()
}

/// Decodes a view and subtracts its size from `left`, the bytes that the file may still decode.
fn decode(document: &Document<'_>, c: &CompressedView, left: &mut usize) -> Result<Vec<u8>, String> {
    let buffer = document
        .buffers
        .get(c.buffer)
        .ok_or("its meshopt data refers to a missing buffer")?;
    let end = c.byte_offset.checked_add(c.byte_length);
    let data = end.and_then(|end| buffer.get(c.byte_offset..end));
    let data = data.ok_or("its meshopt data exceeds its buffer")?;
    let size = c
        .count
        .checked_mul(c.byte_stride)
        .ok_or("its meshopt count is out of range")?;
    if size > data.len().saturating_mul(MAX_EXPANSION) {
        return Err("its meshopt count is implausible for its compressed size".into());
    }
    *left = left
        .checked_sub(size)
        .ok_or("the meshopt buffer views are implausibly large for the file; compress the file again")?;
    let broken = |e: meshopt::Error| format!("invalid meshopt data: {e}");
    let mut bytes = match (c.mode.as_str(), c.byte_stride) {
        ("ATTRIBUTES", stride) => attributes(data, c.count, stride)?,
        ("TRIANGLES", 2) if c.count.is_multiple_of(3) => {
            le16(&encoding::decode_index_buffer(data, c.count).map_err(broken)?)
        }
        ("TRIANGLES", 4) if c.count.is_multiple_of(3) => {
            le32(encoding::decode_index_buffer(data, c.count).map_err(broken)?)
        }
        ("INDICES", 2) => le16(&encoding::decode_index_sequence(data, c.count).map_err(broken)?),
        ("INDICES", 4) => le32(encoding::decode_index_sequence(data, c.count).map_err(broken)?),
        (mode, stride) => {
            return Err(format!("its meshopt mode {mode} with stride {stride} is unknown"));
        }
    };
    match c.filter.as_deref() {
        None | Some("NONE") => {}
        Some(filter) => apply_filter(filter, &mut bytes, c.byte_stride)?,
    }
    Ok(bytes)
}

/// The vertex codec takes the stride as a type; strides are multiples of 4 up to 256.
fn attributes(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, String> {
    macro_rules! by_words {
        ($($words:literal)*) => {
            match stride {
                $(s if s == $words * 4 => decode_words::<$words>(data, count),)*
                _ => return Err(format!("its meshopt stride {stride} is not a multiple of 4 up to 256")),
            }
        };
    }
    by_words!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
    .map_err(|e| format!("invalid meshopt data: {e}"))
}

/// Element of the vertex codec; arrays of more than 32 do not implement `Default`.
#[derive(Clone)]
struct MeshoptRow<const N: usize>([u32; N]);

impl<const N: usize> Default for MeshoptRow<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

fn decode_words<const N: usize>(data: &[u8], count: usize) -> meshopt::Result<Vec<u8>> {
    let rows = encoding::decode_vertex_buffer::<MeshoptRow<N>>(data, count)?;
    Ok(le32(rows.into_iter().flat_map(|row| row.0)))
}

fn le16(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

// The codec writes little-endian bytes on every host it supports; words keep their byte order.
fn le32(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_ne_bytes).collect()
}

fn apply_filter(filter: &str, bytes: &mut [u8], stride: usize) -> Result<(), String> {
    match (filter, stride) {
        ("OCTAHEDRAL", 4) => in_place::<[i8; 4]>(bytes, encoding::decode_filter_oct),
        ("OCTAHEDRAL", 8) => in_place::<[i16; 4]>(bytes, encoding::decode_filter_oct),
        ("QUATERNION", 8) => in_place::<[i16; 4]>(bytes, encoding::decode_filter_quat),
        ("EXPONENTIAL", _) if stride.is_multiple_of(4) => {
            in_place::<[u32; 1]>(bytes, encoding::decode_filter_exp);
        }
        ("COLOR", 4) => in_place::<[u8; 4]>(bytes, encoding::decode_filter_color),
        ("COLOR", 8) => in_place::<[u16; 4]>(bytes, encoding::decode_filter_color),
        _ => {
            return Err(format!("its meshopt filter {filter} with stride {stride} is unknown"));
        }
    }
    Ok(())
}

/// Runs a filter on an aligned copy of the bytes.
fn in_place<T: bytemuck::Pod>(bytes: &mut [u8], filter: impl FnOnce(&mut [T])) {
    let mut rows: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
    filter(&mut rows);
    bytes.copy_from_slice(bytemuck::cast_slice(&rows));
}
