//! Search for an adapter, which blocks. Browsers choose theirs themselves and forbid blocking: there is no such search.

use crate::gpu::{
    AdapterChoice, Gpu, GpuError, ListedAdapter,
    adapter::{AdapterFacts, is_cpu},
};

/// Sets of backends in the order in which they are tried. OpenGL is opened only if nothing better fits and opens:
/// opening it is slow and noisy.
const BACKENDS: [wgpu::Backends; 2] = [wgpu::Backends::PRIMARY, wgpu::Backends::GL];

impl Gpu {
    /// Opens the best adapter for `choice` without a window.
    ///
    /// # Errors
    /// No adapter, or none that satisfies the choice and can be opened.
    pub fn headless(choice: &AdapterChoice) -> Result<Self, GpuError> {
        first_to_open(choice, None, without_display)
    }

    /// Every adapter of this machine.
    #[must_use]
    pub fn adapters() -> Vec<ListedAdapter> {
        listed(without_display)
    }

    /// Makes a wgpu instance with every backend. Indirect validation is off: all indirect arguments are throng's own.
    #[must_use]
    pub fn instance(display: Box<dyn wgpu::wgt::WgpuHasDisplayHandle>) -> wgpu::Instance {
        instance_of(wgpu::InstanceDescriptor::new_with_display_handle(display))
    }

    /// Opens the best adapter that can present to `surface`; tries the next one if opening fails.
    ///
    /// # Errors
    /// See [`GpuError`].
    pub fn open(
        instance: wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, GpuError> {
        first_to_open(choice, surface, |_| instance.clone())
    }
}

impl ListedAdapter {
    fn of(number: usize, info: &wgpu::AdapterInfo) -> Self {
        let facts = AdapterFacts::of(info, Vec::new());
        let pci = &info.device_pci_bus_id;
        Self {
            number,
            pci: (!pci.is_empty()).then(|| pci.clone()),
            name: facts.name,
            backend: facts.backend,
            driver: facts.driver,
            kind: facts.kind,
        }
    }
}

/// Makes an instance without validation layers, in every build. Installed layers write to standard error, and those
/// older than wgpu's shaders reject valid ones. `WGPU_VALIDATION=1` and `WGPU_DEBUG=1` request them. wgpu's own
/// validation stays on.
fn instance_of(mut descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    descriptor.flags = wgpu::InstanceFlags::empty().with_env();
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// Makes an instance for some backends. OpenGL looks for displays when it starts, and its libraries write to standard
/// error without one.
fn without_display(backends: wgpu::Backends) -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    instance_of(descriptor)
}

/// Opens the first adapter that satisfies `choice`, in the order of the backends.
fn first_to_open(
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
    instance: impl Fn(wgpu::Backends) -> wgpu::Instance,
) -> Result<Gpu, GpuError> {
    let (mut rejection, mut present) = (None, Vec::new());
    for backends in BACKENDS {
        for adapter in candidates(&instance(backends), backends, choice, surface, &mut present) {
            match pollster::block_on(Gpu::from_adapter(adapter)) {
                Ok(gpu) => {
                    tracing::info!("using adapter {}", gpu.facts.summary());
                    return Ok(gpu);
                }
                Err(error) => {
                    tracing::warn!("{error}; trying the next adapter");
                    rejection = Some(error);
                }
            }
        }
    }
    Err(match rejection {
        Some(rejection) => rejection,
        None if present.is_empty() => GpuError::NoAdapter,
        None => GpuError::NoSuchAdapter {
            wanted: choice.to_string(),
            present: names(&present),
        },
    })
}

/// Every adapter, in the order in which [`AdapterChoice::Number`] counts them; `instance` opens some
/// backends.
fn listed(instance: impl Fn(wgpu::Backends) -> wgpu::Instance) -> Vec<ListedAdapter> {
    let mut present = Vec::new();
    for backends in BACKENDS {
        candidates(&instance(backends), backends, &AdapterChoice::Auto, None, &mut present);
    }
    let all = present.iter().enumerate();
    all.map(|(number, info)| ListedAdapter::of(number, info)).collect()
}

/// Names of adapters, each once.
fn names(present: &[wgpu::AdapterInfo]) -> String {
    let mut names: Vec<String> = Vec::new();
    for info in present {
        let name = format!("{} ({})", info.name, info.backend.to_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Adapters of some backends: those that satisfy `choice` (and can present to `surface`), best first.
/// All go to `present`.
fn candidates(
    instance: &wgpu::Instance,
    backends: wgpu::Backends,
    choice: &AdapterChoice,
    surface: Option<&wgpu::Surface<'_>>,
    present: &mut Vec<wgpu::AdapterInfo>,
) -> Vec<wgpu::Adapter> {
    let all = pollster::block_on(instance.enumerate_adapters(backends));
    let first = present.len();
    present.extend(all.iter().map(wgpu::Adapter::get_info));
    let indexed = all.into_iter().zip(&present[first..]).enumerate();
    let mut matching: Vec<wgpu::Adapter> = indexed
        .filter(|(number, (_, info))| matches(choice, first + number, info))
        .map(|(_, (adapter, _))| adapter)
        .filter(|a| surface.is_none_or(|s| a.is_surface_supported(s)))
        .collect();
    matching.sort_by_key(|a| rank(&a.get_info()));
    matching
}

/// Smaller is better; within one set of backends.
fn rank(info: &wgpu::AdapterInfo) -> u32 {
    match info.device_type {
        _ if is_cpu(info) => 50,
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        _ => 10,
    }
}

fn matches(choice: &AdapterChoice, number: usize, info: &wgpu::AdapterInfo) -> bool {
    match choice {
        AdapterChoice::Number(wanted) => *wanted == number,
        AdapterChoice::Pci(place) => {
            let own = info.device_pci_bus_id.to_ascii_lowercase();
            own.strip_suffix(place.as_str())
                .is_some_and(|domain| domain.is_empty() || domain.ends_with(':'))
        }
        AdapterChoice::Auto => true,
        AdapterChoice::Gpu => !is_cpu(info),
        AdapterChoice::Cpu => is_cpu(info) && info.backend != wgpu::Backend::Gl,
        AdapterChoice::Gl => info.backend == wgpu::Backend::Gl,
        AdapterChoice::Named(part) => info.name.to_ascii_lowercase().contains(part),
    }
}
