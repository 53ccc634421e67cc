//! Names what a file is that is not glTF, and what to do about it.

/// Files by their first bytes.
const STARTS: [(&[u8], &str); 12] = [
    (b"Kaydara FBX Binary", FBX),
    (b"; FBX", FBX),
    (
        b"version https://git-lfs",
        "it is a Git LFS pointer; run `git lfs pull`",
    ),
    (
        b"HIERARCHY",
        "it is BVH, motion without a character; import it into Blender and export glTF 2.0 (.glb), then play it with \
         --animations",
    ),
    (b"BLENDER", BLEND),
    (b"\x28\xb5\x2f\xfd", BLEND),
    (
        b"\x1f\x8b",
        "it is compressed with gzip; unpack it, for example with `gunzip`",
    ),
    (b"#usda", USD),
    (b"PXR-USDC", USD),
    (
        b"7z\xbc\xaf\x27\x1c",
        "it is a 7-Zip archive; unpack it and open the .glb or .gltf inside",
    ),
    (
        b"Rar!",
        "it is a RAR archive; unpack it and open the .glb or .gltf inside",
    ),
    (b"\x89PNG", "it is a picture; open the .glb or .gltf that it belongs to"),
];

/// Hint for FBX, the format of most motion libraries.
const FBX: &str = "it is FBX; convert it with `FBX2glTF --binary --input hero.fbx --output hero.glb` \
                   (github.com/godotengine/FBX2glTF), or import it into Blender and export glTF 2.0 (.glb)";
const BLEND: &str = "it is a Blender file; open it in Blender and export glTF 2.0 (.glb)";
const USD: &str = "it is USD; import it into Blender and export glTF 2.0 (.glb)";

/// First bytes of a ZIP archive.
const ZIP: &[u8] = b"PK\x03\x04";
/// Number of bytes in which names and tags are searched.
const HEAD: usize = 4096;
/// Number of lines of a text that must look like Wavefront OBJ.
const LINES: usize = 40;

/// Sentence about a file that is neither a GLB nor JSON.
pub(super) fn sentence(bytes: &[u8]) -> &'static str {
    if let Some((_, sentence)) = STARTS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return sentence;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_lowercase();
    let text = head.trim_start();
    if bytes.starts_with(ZIP) {
        return if head.contains(".usd") {
            "it is USDZ; import it into Blender and export glTF 2.0 (.glb)"
        } else {
            "it is a ZIP archive; unpack it and open the .glb or .gltf inside"
        };
    }
    if text.starts_with("<!doctype html") || text.starts_with("<html") {
        "it is a web page, not a model; download the file itself"
    } else if text.starts_with('<') && text.contains("<collada") {
        "it is COLLADA (.dae); import it into Blender and export glTF 2.0 (.glb)"
    } else if text.starts_with('<') {
        "it is XML; export the character as glTF 2.0 (.glb)"
    } else if is_obj(text) {
        "it is Wavefront OBJ, which has no skeleton; export the character as glTF 2.0 (.glb)"
    } else {
        "it starts neither with `glTF` nor with JSON; export the character as .glb"
    }
}

/// True if a text has a vertex, and only lines of Wavefront OBJ.
fn is_obj(text: &str) -> bool {
    const WORDS: [&str; 12] = ["#", "v", "vn", "vt", "f", "o", "g", "s", "l", "usemtl", "mtllib", "vp"];
    // The last line may be cut off.
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let complete = &lines[..lines.len().saturating_sub(1).max(1).min(lines.len())];
    let word = |line: &&str| {
        line.split_whitespace()
            .next()
            .map(|word| if word.starts_with('#') { "#" } else { word }.to_owned())
    };
    let words: Vec<String> = complete.iter().filter_map(word).collect();
    words.iter().any(|word| matches!(&word[..], "v" | "mtllib" | "o" | "f"))
        && words.iter().all(|word| WORDS.contains(&&word[..]))
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn each_kind_of_file_is_named() {
        for (bytes, part) in [
            (&b"# Blender\nmtllib a.mtl\no Cube\nv 1 1 1\nv 1 1 0\n"[..], "OBJ"),
            (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "OBJ"),
            (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http\">", "COLLADA"),
            (b"<?xml version=\"1.0\"?>\n<svg>", "XML"),
            (b"HIERARCHY\nROOT Hips\n", "--animations"),
            (b"PK\x03\x04\x14\0\0\0\0\0....hero.usdc", "USDZ"),
            (b"PK\x03\x04\x14\0\0\0\0\0....scene.gltf", "ZIP"),
            (b"\x1f\x8b\x08\0", "gunzip"),
            (b"BLENDER-v300", "Blender"),
            (b"\n<!DOCTYPE html>\n<html>", "web page"),
            (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
            (b"PXR-USDC", "USD"),
            (b"hello", "starts neither"),
            (b"vampire\nfang\n", "starts neither"),
        ] {
            let found = sentence(bytes);
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
