//! Runs a frame with the Vulkan validation layer. wgpu checks WebGPU's rules; a mistake in its translation appears on
//! few drivers.

use std::process::Command;

use super::{temporary, text};
use crate::common::{self, gpu::adapter};

/// Message of old layers, which do not know that shaders can come from WGSL.
const UNKNOWN_LANGUAGE: &str = "Invalid source language operand";

#[test]
fn the_vulkan_validation_layer_has_nothing_to_say() {
    let Some(layers) = std::env::var_os("THRONG_VULKAN_LAYERS") else {
        return common::skip(
            common::Need::Layers,
            "THRONG_VULKAN_LAYERS names no folder with the layer",
        );
    };
    let folder = temporary();
    let scenes = [
        &["--scene", "plaza", "--count", "60"][..],
        &["--scene", "stress", "--count", "12", "--technique", "textbook"],
        &["--scene", "stress", "--count", "12", "--technique", "vertex"],
        &["--scene", "army", "--count", "12", "--technique", "live"],
    ];
    for scene in scenes {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.current_dir(folder.path()).env_remove("THRONG_LOG");
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.env("VK_LAYER_PATH", &layers).env("VK_LOADER_DEBUG", "layer");
        command.env("WGPU_VALIDATION", "1").env(
            "VK_LAYER_ENABLES",
            "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
        );
        command.args(["shot", "-o", "a.png", "--size", "96x54", "--adapter", adapter()]);
        let output = command.args(scene).output().expect("the program starts");
        let told = text(&output.stderr);
        assert!(output.status.success(), "{scene:?}: {told}");
        assert!(
            told.contains("VK_LAYER_KHRONOS_validation"),
            "the layer was not loaded: {told}"
        );
        let complaints: Vec<&str> = told
            .lines()
            .filter(|line| line.contains("Validation Error") && !line.contains(UNKNOWN_LANGUAGE))
            .collect();
        assert!(complaints.is_empty(), "{scene:?}: {complaints:#?}");
    }
}
