//! Shaders of the checkout while they are being worked on: the window shows every change without a
//! restart, and says why a shader does not compile. Debug builds only.

use std::sync::Arc;

use crate::{
    app::{compare::second_renderer::SecondRenderer, state::notices::Notices},
    gpu::{Gpu, GpuError, ShaderSources, ShaderWatch},
    render::Renderer,
};

/// Takes over what changes in the folder of shaders, if there is one.
pub(super) struct ShaderReload {
    watch: Option<ShaderWatch>,
    /// The error told last: it goes away with its cause.
    failure: Option<String>,
}

impl ShaderReload {
    /// For the folder that `THRONG_SHADERS` names, else that of the checkout.
    pub(super) fn of_checkout() -> Self {
        Self {
            watch: ShaderWatch::of_checkout(),
            failure: None,
        }
    }

    /// Looks whether shaders have changed, and draws with them from now on if all compile; the
    /// pipelines before stay otherwise.
    pub(super) fn follow(
        &mut self,
        gpu: &Gpu,
        left: &mut Renderer,
        right: Option<&mut SecondRenderer>,
        notices: &mut Notices,
    ) {
        let Some(sources) = self.watch.as_mut().and_then(ShaderWatch::poll) else {
            return;
        };
        let taken = sources.and_then(|sources| take_over(gpu, sources, left, right));
        if let Some(before) = self.failure.take() {
            notices.dismiss(&before);
        }
        match taken {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!("shaders reloaded");
                notices.tell("shaders reloaded");
            }
            Err(error) => {
                tracing::error!("shaders stay as they were: {error}");
                let text = format!("shaders stay as they were: {error}");
                // One line, as notices are: so it is found again.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                notices.fail(text.clone());
                self.failure = Some(text);
            }
        }
    }
}

/// True where the sources differ from those before.
fn take_over(
    gpu: &Gpu,
    sources: ShaderSources,
    left: &mut Renderer,
    right: Option<&mut SecondRenderer>,
) -> Result<bool, GpuError> {
    if *gpu.shaders() == sources {
        return Ok(false);
    }
    let before = gpu.replace_shaders(Arc::new(sources));
    gpu.forget_pipelines();
    let rebuilt = left.rebuild_pipelines(gpu).and_then(|()| match right {
        Some(right) => right.rebuild_pipelines(gpu),
        None => Ok(()),
    });
    if rebuilt.is_err() {
        gpu.replace_shaders(before);
        // The left side may have been done when the right one failed.
        left.rebuild_pipelines(gpu)?;
    }
    rebuilt.map(|()| true)
}
