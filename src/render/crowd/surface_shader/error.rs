//! Reasons why a surface shader is refused.

use super::{MOST_BYTES, MOST_STEPS, MOST_TEXT};

/// Error of a surface shader, with its line in the host's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the surface shader: {fault}")]
pub struct SurfaceShaderError {
    /// Line of the text, from 1 on.
    pub line: u32,
    /// Fault on this line.
    pub fault: SurfaceShaderFault,
}

/// Fault of a surface shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceShaderFault {
    /// The text is too long.
    #[error("the text has {bytes} bytes, and {MOST_TEXT} are the most; leave out what the shader does not need")]
    Text {
        /// Bytes of the text.
        bytes: usize,
    },
    /// The text is no valid WGSL.
    #[error("this is no valid WGSL: {0}")]
    Invalid(String),
    /// The function is missing.
    #[error("the text ends without `fn surface_radiance(point: SurfacePoint) -> vec3<f32>`; add this function")]
    Missing,
    /// The function takes or returns something else.
    #[error(
        "write `fn surface_radiance(point: SurfacePoint) -> vec3<f32>`: one parameter, which is a SurfacePoint, and a colour as result"
    )]
    Signature,
    /// The text declares a variable of the module: a binding, or private or shared memory.
    #[error(
        "`var {0}` is outside functions, where bindings and variables are not allowed; use `const`, or `var` within a function"
    )]
    Variable(String),
    /// The text declares an override.
    #[error("`override {0}` is not allowed, since throng makes the pipelines; use `const`")]
    Override(String),
    /// The text declares an entry point.
    #[error("`{0}` is an entry point, which throng has itself; leave out its @vertex, @fragment or @compute")]
    EntryPoint(String),
    /// The text begins with a directive.
    #[error("directives (enable, requires, diagnostic) are not allowed; leave it out")]
    Directive,
    /// An operation that only some passes have.
    #[error(
        "{0} is not allowed, since a surface may be shaded in a compute pass; compute the value from the SurfacePoint"
    )]
    Operation(&'static str),
    /// A loop whose end is not certain.
    #[error(
        "this loop may never end: count an integer up to a constant, as in `for (var i = 0u; i < 8u; i++)`, and change it nowhere else"
    )]
    Loop,
    /// A function takes too many steps.
    #[error(
        "`{function}` takes {steps} steps (operations, turns of loops, calls), and {MOST_STEPS} are the most; shorten its loops"
    )]
    Steps {
        /// Function.
        function: String,
        /// Steps, counted as if every branch were taken.
        steps: u64,
    },
    /// A type or the variables of a function take too much memory.
    #[error("{what} takes {bytes} bytes, and {MOST_BYTES} are the most; make its arrays shorter")]
    Memory {
        /// Type or function.
        what: String,
        /// Size, at most `u32::MAX`.
        bytes: u32,
    },
}
