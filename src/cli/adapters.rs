//! `throng adapters`: lists the graphics adapters and their names for `--adapter`.

use anyhow::Result;
use clap::Args;

use crate::{
    console::{print_json, print_stdout},
    gpu::{Gpu, GpuError, ListedAdapter},
};

const EXAMPLES: &str = "\
Examples:
  throng adapters
  throng adapters --json | jq '.[].name'
  throng shot --adapter 1 -o a.png           the second of the list";

/// Arguments of `adapters`.
#[derive(Args, Debug, Clone, Default)]
#[command(after_help = EXAMPLES)]
pub struct AdaptersArgs {
    /// Print as JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// No adapter.
pub fn run(args: &AdaptersArgs) -> Result<()> {
    let adapters = Gpu::adapters();
    if args.json {
        return Ok(print_json(&adapters)?);
    }
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter.into());
    }
    Ok(print_stdout(&table(&adapters))?)
}

/// Table with a line for each adapter; `--adapter` takes its number or PCI address.
fn table(adapters: &[ListedAdapter]) -> String {
    let mut text = format!(
        "{:>6}  {:<12}  {:<7}  {:<14}  name\n",
        "number", "pci", "backend", "type"
    );
    for adapter in adapters {
        let pci = adapter.pci.as_deref().unwrap_or("-");
        text += &format!(
            "{:>6}  {pci:<12}  {:<7}  {:<14}  {}\n",
            adapter.number,
            adapter.backend.name(),
            adapter.kind.name(),
            adapter.name
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{AdapterKind, Backend};

    #[test]
    fn equal_adapter_names_are_told_apart_by_index_and_address() {
        let card = |number, pci: Option<&str>| ListedAdapter {
            number,
            pci: pci.map(str::to_owned),
            name: "A card".into(),
            backend: Backend::Vulkan,
            driver: String::new(),
            kind: AdapterKind::DiscreteGpu,
        };
        let text = table(&[card(0, Some("0000:3b:00.0")), card(1, None)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "number  pci           backend  type            name");
        assert_eq!(lines[1], "     0  0000:3b:00.0  vulkan   discrete-gpu    A card");
        assert_eq!(lines[2], "     1  -             vulkan   discrete-gpu    A card");
    }
}
