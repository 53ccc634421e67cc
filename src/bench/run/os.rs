//! Operating system that a report was measured on.

use std::env::consts::{ARCH, OS};

/// Returns operating system, release if known, and architecture: `Debian GNU/Linux 12 (linux, x86_64)`.
pub(super) fn name() -> String {
    match release() {
        Some(release) => format!("{release} ({OS}, {ARCH})"),
        None => format!("{OS}, {ARCH}"),
    }
}

fn release() -> Option<String> {
    match OS {
        "linux" => pretty_name(&std::fs::read_to_string("/etc/os-release").ok()?),
        "macos" => output("sw_vers", &["-productVersion"]).map(|version| format!("macOS {version}")),
        "windows" => output("cmd", &["/c", "ver"]),
        _ => None,
    }
}

/// Returns `PRETTY_NAME` of an os-release file.
fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_os_release() {
        let debian = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(pretty_name(debian).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(pretty_name("PRETTY_NAME='Void'").as_deref(), Some("Void"));
        assert_eq!(pretty_name("ID=alpine\n"), None);
        assert!(name().contains(OS) && name().contains(ARCH), "{}", name());
    }
}
