//! Images of textures: embedded ones, and files beside the model, found by name when paths are of another machine.

use std::{collections::HashMap, io::Cursor, path::Path, sync::Arc};

use image::{ImageFormat, ImageReader, Limits};
use serde_json::{Value, json};
use ufbx::{Texture, TextureType, WrapMode};

use crate::file::{
    Source,
    fbx::{container::Container, packed_maps::encode},
    gltf::Files,
};

/// Largest image edge that is read (px).
const MAX_EDGE: u32 = 16384;
/// Maximum memory of one image while it is decoded (bytes).
const MAX_IMAGE_BYTES: u64 = 1 << 30;
/// Folders in which programs put the textures of a model.
const FOLDERS: [&str; 6] = ["textures", "texture", "tex", "maps", "materials", "images"];
/// Extensions under which a converted image may lie beside the model.
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "tga", "bmp", "webp"];

/// Bytes of an encoded image.
pub(super) type ImageBytes = Arc<Vec<u8>>;

/// Images of a file, each read and written once.
pub(super) struct Textures<'a> {
    source: &'a Source<'a>,
    files: Files<'a>,
    /// Encoded images by texture; `None` for one that cannot be found.
    read: HashMap<u32, Option<ImageBytes>>,
    /// glTF image of each list of bytes, by its address.
    written: HashMap<usize, usize>,
    /// Images that are kept so that addresses stay their own.
    kept: Vec<ImageBytes>,
}

impl<'a> Textures<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            files: Files::new(source.base),
            read: HashMap::new(),
            written: HashMap::new(),
            kept: Vec::new(),
        }
    }

    /// Encoded image of a texture (PNG, JPEG or WebP); `None`, with a note, if there is none.
    pub(super) fn image(&mut self, texture: &Texture, notes: &mut Vec<String>) -> Option<ImageBytes> {
        let texture = first_file(texture);
        let id = texture.element.element_id;
        if let Some(known) = self.read.get(&id) {
            return known.clone();
        }
        let found = self.find(texture).and_then(readable);
        let found = found.map_err(|problem| {
            notes.push(format!(
                "texture \"{}\" {problem}; materials are drawn without it",
                file_name(texture)
            ));
        });
        let found = found
            .ok()
            .map(|bytes| match self.kept.iter().find(|kept| **kept == bytes) {
                Some(kept) => kept.clone(),
                None => {
                    self.kept.push(bytes.clone());
                    bytes
                }
            });
        self.read.insert(id, found.clone());
        found
    }

    /// Encoded bytes of a texture, of any format; the error is the problem in words.
    fn find(&mut self, texture: &Texture) -> Result<ImageBytes, String> {
        let of_video = texture.video.as_ref().map(|video| &video.content);
        let embedded = [Some(&texture.content), of_video].into_iter().flatten();
        if let Some(content) = { embedded }.find(|content| !content.is_empty()) {
            return Ok(Arc::new(content.to_vec()));
        }
        let paths = [
            &texture.relative_filename,
            &texture.filename,
            &texture.absolute_filename,
        ];
        let paths: Vec<String> = paths.iter().map(|path| path.replace('\\', "/")).collect();
        for candidate in candidates(&paths, self.source.name) {
            if let Ok(content) = self.files.read(&escaped(&candidate)) {
                return Ok(Arc::new(content.to_vec()));
            }
        }
        let place = match self.source.base {
            Some(_) => "is neither in the file nor beside it",
            None => "is not in the file",
        };
        Err(format!("{place}: put it into the folder of the model, or embed it"))
    }

    /// Encoded image beside the model under a name without extension, and the name of its file.
    pub(super) fn beside(&mut self, name: &str) -> Option<(String, ImageBytes)> {
        let path = [format!("{name}.png")];
        let mut found = candidates(&path, self.source.name).into_iter().filter_map(|file| {
            let content = self.files.read(&escaped(&file)).ok()?;
            Some((file, readable(Arc::new(content.to_vec())).ok()?))
        });
        found.next()
    }

    /// Writes an image and a texture that shows it; without a texture of the file, the image repeats. Returns the
    /// index of the glTF texture.
    pub(super) fn write(&mut self, bytes: &ImageBytes, texture: Option<&Texture>, container: &mut Container) -> usize {
        let image = match self.written.get(&(Arc::as_ptr(bytes) as usize)) {
            Some(&image) => image,
            None => {
                let mime = match image::guess_format(bytes) {
                    Ok(ImageFormat::Jpeg) => "image/jpeg",
                    Ok(ImageFormat::WebP) => "image/webp",
                    _ => "image/png",
                };
                let view = container.view(bytes);
                let mut image = json!({"bufferView": view, "mimeType": mime});
                if let Some(texture) = texture {
                    image["name"] = json!(file_name(first_file(texture)));
                }
                container.push("images", image)
            }
        };
        self.written.insert(Arc::as_ptr(bytes) as usize, image);
        if !self.kept.iter().any(|kept| Arc::ptr_eq(kept, bytes)) {
            self.kept.push(bytes.clone());
        }
        let sampler = container.push("samplers", texture.map_or_else(|| json!({}), sampler));
        container.push("textures", json!({"source": image, "sampler": sampler}))
    }

    /// Notes of the search, such as names in another case.
    pub(super) fn finish(self, notes: &mut Vec<String>) {
        notes.extend(self.files.notes);
    }
}

/// First image file of a texture that is made of several.
fn first_file(texture: &Texture) -> &Texture {
    match texture.file_textures.iter().next() {
        Some(first) if texture.type_ != TextureType::File => first.as_ref(),
        _ => texture,
    }
}

/// Last part of the texture's path, else its name.
fn file_name(texture: &Texture) -> String {
    let paths = [
        &texture.relative_filename,
        &texture.filename,
        &texture.absolute_filename,
    ];
    let path = paths
        .iter()
        .find(|path| !path.is_empty())
        .copied()
        .unwrap_or(&texture.element.name);
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

fn sampler(texture: &Texture) -> Value {
    let mode = |mode| if mode == WrapMode::Clamp { 33071 } else { 10497 };
    json!({"wrapS": mode(texture.wrap_u), "wrapT": mode(texture.wrap_v)})
}

/// Paths below the model's folder at which a texture may lie, the most exact first.
fn candidates(paths: &[String], model: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |path: String| {
        if !path.is_empty() && !all.contains(&path) {
            all.push(path);
        }
    };
    let parts_of = |path: &str| -> Vec<String> {
        let parts = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != "." && *part != "..");
        parts.filter(|part| !part.ends_with(':')).map(str::to_owned).collect()
    };
    for parts in paths.iter().map(|path| parts_of(path)) {
        (0..parts.len()).for_each(|first| add(parts[first..].join("/")));
    }
    let stem = model.rsplit_once('.').map_or(model, |(stem, _)| stem);
    let names: Vec<String> = paths.iter().filter_map(|path| parts_of(path).pop()).collect();
    for name in &names {
        add(format!("{stem}.fbm/{name}"));
        FOLDERS.iter().for_each(|folder| add(format!("{folder}/{name}")));
    }
    // Painting programs' own formats are often delivered as PNG or JPEG.
    for name in &names {
        let plain = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        for extension in EXTENSIONS {
            add(format!("{plain}.{extension}"));
            FOLDERS
                .iter()
                .for_each(|folder| add(format!("{folder}/{plain}.{extension}")));
        }
    }
    all
}

/// Path as a URI.
fn escaped(path: &str) -> String {
    path.replace('%', "%25")
}

/// The image in a format that the glTF importer reads: others are encoded as PNG. The error is the problem in words.
fn readable(bytes: ImageBytes) -> Result<ImageBytes, String> {
    match image::guess_format(&bytes) {
        Ok(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) => Ok(bytes),
        _ => Ok(Arc::new(encode(&decode(&bytes)?)?)),
    }
}

/// Decodes an image; TGA files have no mark of their own, so that they are tried last. The error is the problem in
/// words.
pub(super) fn decode(bytes: &[u8]) -> Result<image::RgbaImage, String> {
    let failed = |error: image::ImageError| format!("cannot be decoded: {error}; save it as PNG or JPEG");
    let mut reader = ImageReader::new(Cursor::new(bytes));
    reader.set_format(image::guess_format(bytes).unwrap_or(ImageFormat::Tga));
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_EDGE);
    limits.max_image_height = Some(MAX_EDGE);
    limits.max_alloc = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    Ok(reader.decode().map_err(failed)?.into_rgba8())
}

/// True if a file's name says that it is a normal map.
pub(super) fn is_normal_map(texture: &Texture) -> bool {
    let name = file_name(texture).to_lowercase();
    let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
    stem.contains("normal") || stem.contains("nrm") || stem.ends_with("_n") || stem.ends_with("_norm")
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn foreign_paths_are_searched_from_their_ends() {
        let paths = ["C:/Users/ada/Textures/Skin.psd".to_owned(), String::new()];
        let found = candidates(&paths, "hero.fbx");
        assert_eq!(
            found[..3],
            [
                "Users/ada/Textures/Skin.psd",
                "ada/Textures/Skin.psd",
                "Textures/Skin.psd"
            ]
        );
        for expected in [
            "Skin.psd",
            "hero.fbm/Skin.psd",
            "textures/Skin.psd",
            "Skin.png",
            "maps/Skin.jpg",
        ] {
            assert!(found.iter().any(|path| path == expected), "{expected}");
        }
        assert!(found.iter().all(|path| !path.contains("..") && !path.starts_with('/')));
        assert_eq!(candidates(&["../../etc/passwd".to_owned()], "a")[0], "etc/passwd");
    }
}
