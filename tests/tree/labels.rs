//! Checks that every GPU resource has a label, so that captures and validation errors name it.

use std::{fs, path::PathBuf};

/// Calls whose descriptor has a label.
const LABELLED: &[&str] = &[
    "begin_compute_pass",
    "begin_render_pass",
    "create_bind_group",
    "create_bind_group_layout",
    "create_buffer",
    "create_buffer_init",
    "create_command_encoder",
    "create_compute_pipeline",
    "create_pipeline_cache",
    "create_pipeline_layout",
    "create_query_set",
    "create_render_bundle_encoder",
    "create_render_pipeline",
    "create_sampler",
    "create_shader_module",
    "create_texture",
    "create_texture_with_data",
    "create_view",
    "request_device",
];

/// (line, call) of every call in a source whose descriptor has no label.
fn unlabelled(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices('(') {
        let before = &source[..at];
        let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let call = &before[start..];
        let is_method = before[..start].trim_end().ends_with('.');
        if is_method && LABELLED.contains(&call) && !arguments(&source[at..]).contains("label: Some(") {
            found.push((before.lines().count(), call.to_owned()));
        }
    }
    found
}

/// Text from an opening bracket to its closing one.
fn arguments(source: &str) -> &str {
    let mut depth = 0;
    for (at, c) in source.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &source[..at];
        }
    }
    source
}

fn rust_files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<_> = ["src", "tests", "examples", "benches"].map(|f| root.join(f)).into();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tree/labels.rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn every_gpu_resource_has_a_label() {
    let mut calls = Vec::new();
    for file in rust_files() {
        let source = fs::read_to_string(&file).expect("text");
        let rows = unlabelled(&source).into_iter();
        calls.extend(rows.map(|(line, call)| format!("{}:{line}: {call}", file.display())));
    }
    assert!(calls.is_empty(), "without a label:\n{}", calls.join("\n"));
}

#[test]
fn a_missing_label_is_noticed() {
    let calls = |source: &str| unlabelled(source).len();
    for bad in [
        "gpu.device.create_command_encoder(&Default::default());",
        "texture\n    .create_view(&wgpu::TextureViewDescriptor { dimension: None, ..Default::default() })",
        "device.create_buffer(&BufferDescriptor { label: None, size: 4 })",
        "encoder.begin_compute_pass(&Default::default()); let x = Y { label: Some(\"no\") };",
        "device.create_bind_group(&BindGroupDescriptor { label, layout })",
    ] {
        assert_eq!(calls(bad), 1, "{bad}");
    }
    for good in [
        "device.create_buffer(&BufferDescriptor { label: Some(\"buffer\"), size: size(4) })",
        "fn create_view(x: u32) {}",
        "texture.create_views(&Default::default())",
    ] {
        assert_eq!(calls(good), 0, "{good}");
    }
}
