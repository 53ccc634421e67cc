//! Opens FBX with limits of memory, in throng's axes and units.

use ufbx::{
    AllocatorOpts, CoordinateAxes, Error, ErrorType, GeometryTransformHandling, InheritModeHandling, LoadOpts,
    PivotHandling, SceneRoot, SpaceConversion,
};

/// First bytes of binary files.
const BINARY: &[u8] = b"Kaydara FBX Binary";
/// Number of bytes searched for the keys of ASCII files, which begin with comments.
const SEARCHED: usize = 4096;
/// Memory that ufbx may take for any file (bytes).
const FREE_BYTES: usize = 256 << 20;
/// Memory that ufbx may take for each byte of the file (bytes): arrays are deflated, numbers become 64-bit.
const BYTES_PER_BYTE: usize = 64;
/// Memory that ufbx may take in any case (bytes).
const MAX_BYTES: u64 = 8 << 30;
/// Number of allocations in any file.
const MAX_ALLOCATIONS: usize = 1 << 22;
/// Deepest hierarchy of nodes.
const MAX_DEPTH: u32 = 512;

/// True if the bytes are FBX, binary or ASCII.
pub(super) fn is_fbx(bytes: &[u8]) -> bool {
    if bytes.starts_with(BINARY) {
        return true;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = &text[..text.len().min(SEARCHED)];
    let has = |key: &[u8]| head.windows(key.len()).any(|window| window == key);
    // Comments start with a semicolon; the first key of every version is one of these.
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b';') => has(b"FBX"),
        Some(b'F') => head.trim_ascii_start().starts_with(b"FBXHeaderExtension"),
        _ => false,
    }
}

/// Allocator with the memory that a file of `size` bytes justifies.
pub(super) fn allocator(size: usize) -> AllocatorOpts {
    AllocatorOpts {
        memory_limit: size
            .saturating_mul(BYTES_PER_BYTE)
            .saturating_add(FREE_BYTES)
            .min(usize::try_from(MAX_BYTES).unwrap_or(usize::MAX)),
        allocation_limit: MAX_ALLOCATIONS,
        ..AllocatorOpts::default()
    }
}

/// FbxContent to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FbxContent {
    /// Everything.
    All,
    /// Hierarchy and animation.
    Motion,
    /// Names and connections of elements.
    Headers,
}

/// Reads a file into a scene that is right-handed, with Y up, in metres. The error is the problem in words.
pub(super) fn load(bytes: &[u8], content: FbxContent) -> Result<SceneRoot, String> {
    let options = LoadOpts {
        temp_allocator: allocator(bytes.len()),
        result_allocator: allocator(bytes.len()),
        ignore_geometry: content != FbxContent::All,
        ignore_animation: content == FbxContent::Headers,
        ignore_embedded: content != FbxContent::All,
        generate_missing_normals: true,
        normalize_normals: true,
        node_depth_limit: MAX_DEPTH,
        geometry_transform_handling: GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: InheritModeHandling::Compensate,
        pivot_handling: PivotHandling::AdjustToPivot,
        space_conversion: SpaceConversion::ModifyGeometry,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| problem(&error))
}

/// Problem of a file in words, and how to fix it.
pub(super) fn problem(error: &Error) -> String {
    let why = match error.type_ {
        ErrorType::MemoryLimit | ErrorType::AllocationLimit | ErrorType::OutOfMemory => {
            "it takes far more memory than a file of its size justifies".to_owned()
        }
        ErrorType::TruncatedFile | ErrorType::EmptyFile | ErrorType::Io => "it is truncated".to_owned(),
        _ => {
            let info = error.info();
            let separator = if info.is_empty() { "" } else { ": " };
            format!("{}{separator}{info}", error.description)
        }
    };
    format!("{why}; export it again as FBX 7.4 (2014) or newer, binary, or as glTF 2.0")
}
