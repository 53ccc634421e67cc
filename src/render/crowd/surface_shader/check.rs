//! Checks of a surface shader without a device.
//!
//! naga reads the host's text, followed by the declarations that it may use. Places in the host's text are thus the same
//! in both. Everything is refused that could touch other parts of throng's shaders or keep a GPU from ending.

use std::error::Error;

use naga::{
    Block, Expression, Function, Handle, Module, Scalar, Span, Statement, Type, TypeInner, VectorSize,
    front::wgsl::{Frontend, Options, ParseError},
    valid::{Capabilities, ValidationFlags, Validator},
};
use wesl::syntax::{Attribute, GlobalDeclaration, TranslationUnit};

use super::{
    MOST_BYTES, MOST_TEXT, SURFACE_POINT_WGSL, SurfaceShaderError, SurfaceShaderFault as Fault,
    loops::{self, blocks},
};

/// Function that throng calls.
const FUNCTION: &str = "surface_radiance";
/// Its parameter.
const PARAMETER: &str = "SurfacePoint";
/// Throng's lighting as the text sees it; shaders/shared/standard_radiance.wgsl has the whole function.
const STANDARD: &str = "fn standard_radiance(point: SurfacePoint) -> vec3<f32> { return point.base_color; }";

/// Checks the text of a surface shader.
///
/// # Errors
/// First fault found.
pub(super) fn check(text: &str) -> Result<(), SurfaceShaderError> {
    let host = HostText(text);
    if text.len() > MOST_TEXT {
        return Err(host.error(MOST_TEXT, Fault::Text { bytes: text.len() }));
    }
    let module = host.parse()?;
    host.check_syntax()?;
    host.check_declarations(&module)?;
    host.check_signature(&module)?;
    host.check_memory(&module)?;
    for (handle, function) in module.functions.iter() {
        host.check_operations(function)?;
        let place = module.functions.get_span(handle);
        host.check_variables(&module, function, place)?;
    }
    loops::check(&module).map_err(|(span, fault)| host.error_at(span, fault))?;
    host.validate(&module)
}

/// Text of a host.
struct HostText<'a>(&'a str);

impl HostText<'_> {
    /// Error on the line of a byte. Places after the end of the text are on its last line.
    fn error(&self, byte: usize, fault: Fault) -> SurfaceShaderError {
        let text = self.0.trim_end().as_bytes();
        let before = text.get(..byte).unwrap_or(text);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u32;
        SurfaceShaderError { line, fault }
    }

    fn error_at(&self, span: Span, fault: Fault) -> SurfaceShaderError {
        self.error(span.to_range().map_or(0, |range| range.start), fault)
    }

    /// Error at the first of some places that lies within the text.
    fn error_at_any(&self, places: impl Iterator<Item = Span>, fault: Fault) -> SurfaceShaderError {
        let mut starts = places.filter_map(|span| Some(span.to_range()?.start));
        self.error(starts.find(|&start| start < self.0.len()).unwrap_or(usize::MAX), fault)
    }

    fn parse(&self) -> Result<Module, SurfaceShaderError> {
        let whole = [self.0, SURFACE_POINT_WGSL, STANDARD].join("\n");
        let options = Options {
            capabilities: Capabilities::empty(),
            ..Options::new()
        };
        let parsed = Frontend::new_with_options(options).parse(&whole);
        parsed.map_err(|error| {
            let places = error.labels().map(|(span, _)| span);
            self.error_at_any(places, Fault::Invalid(message(&error)))
        })
    }

    /// Refuses directives and entry points, of which naga keeps no place.
    fn check_syntax(&self) -> Result<(), SurfaceShaderError> {
        let unit: TranslationUnit = match self.0.parse() {
            Ok(unit) => unit,
            Err(error) => return Err(self.error(error.span.start, Fault::Invalid(error.error.to_string()))),
        };
        if !unit.global_directives.is_empty() {
            return Err(self.error(self.first_directive(), Fault::Directive));
        }
        for declaration in &unit.global_declarations {
            if let GlobalDeclaration::Function(function) = declaration.node()
                && function.attributes.iter().any(|attribute| is_stage(attribute.node()))
            {
                let name = function.ident.to_string();
                return Err(self.error(declaration.span().start, Fault::EntryPoint(name)));
            }
        }
        Ok(())
    }

    /// First byte of the first line that begins with a directive.
    fn first_directive(&self) -> usize {
        let is_directive = |line: &&str| {
            let line = line.trim_start();
            ["enable", "requires", "diagnostic"]
                .iter()
                .any(|word| line.starts_with(word))
        };
        let lines = self.0.split_inclusive('\n');
        lines.take_while(|line| !is_directive(line)).map(str::len).sum()
    }

    fn check_declarations(&self, module: &Module) -> Result<(), SurfaceShaderError> {
        if let Some((handle, variable)) = module.global_variables.iter().next() {
            let place = module.global_variables.get_span(handle);
            return Err(self.error_at(place, Fault::Variable(name(variable.name.as_deref()))));
        }
        if let Some((handle, constant)) = module.overrides.iter().next() {
            let place = module.overrides.get_span(handle);
            return Err(self.error_at(place, Fault::Override(name(constant.name.as_deref()))));
        }
        Ok(())
    }

    fn check_signature(&self, module: &Module) -> Result<(), SurfaceShaderError> {
        let mut functions = module.functions.iter();
        let Some((handle, function)) = functions.find(|(_, function)| function.name.as_deref() == Some(FUNCTION))
        else {
            return Err(self.error(usize::MAX, Fault::Missing));
        };
        let takes_point = match &function.arguments[..] {
            [only] => module.types[only.ty].name.as_deref() == Some(PARAMETER),
            _ => false,
        };
        let returns_color = function
            .result
            .as_ref()
            .is_some_and(|result| match module.types[result.ty].inner {
                TypeInner::Vector { size, scalar } => size == VectorSize::Tri && scalar == Scalar::F32,
                _ => false,
            });
        if takes_point && returns_color {
            return Ok(());
        }
        Err(self.error_at(module.functions.get_span(handle), Fault::Signature))
    }

    fn check_memory(&self, module: &Module) -> Result<(), SurfaceShaderError> {
        // Types come after those that they hold, so that the outermost is found first.
        for (handle, ty) in module.types.iter().rev() {
            let bytes = size_of_type(module, &ty.inner);
            if bytes > MOST_BYTES {
                let what = ty
                    .name
                    .as_ref()
                    .map_or("this type".to_owned(), |name| format!("`{name}`"));
                let places = [module.types.get_span(handle)].into_iter().chain(uses(module, handle));
                return Err(self.error_at_any(places, Fault::Memory { what, bytes }));
            }
        }
        Ok(())
    }

    fn check_variables(&self, module: &Module, function: &Function, place: Span) -> Result<(), SurfaceShaderError> {
        let sizes = function.local_variables.iter();
        let bytes = sizes
            .map(|(_, local)| size_of_type(module, &module.types[local.ty].inner))
            .fold(0, u32::saturating_add);
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let what = format!("all variables of `{}`", name(function.name.as_deref()));
        Err(self.error_at(place, Fault::Memory { what, bytes }))
    }

    fn check_operations(&self, function: &Function) -> Result<(), SurfaceShaderError> {
        for (handle, expression) in function.expressions.iter() {
            if let Expression::Derivative { .. } = expression {
                let place = function.expressions.get_span(handle);
                return Err(self.error_at(place, Fault::Operation("a derivative")));
            }
        }
        self.check_statements(&function.body)
    }

    fn check_statements(&self, block: &Block) -> Result<(), SurfaceShaderError> {
        for (statement, &place) in block.span_iter() {
            let refused = match statement {
                Statement::Kill => Some("discard"),
                Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some("a barrier"),
                _ => None,
            };
            if let Some(refused) = refused {
                return Err(self.error_at(place, Fault::Operation(refused)));
            }
            for block in blocks(statement) {
                self.check_statements(block)?;
            }
        }
        Ok(())
    }

    fn validate(&self, module: &Module) -> Result<(), SurfaceShaderError> {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let validated = validator.validate(module);
        validated.map(|_| ()).map_err(|error| {
            // The smallest place is the nearest to the fault: others are whole functions.
            let mut places: Vec<Span> = error.spans().map(|(span, _)| *span).collect();
            places.sort_by_key(|span| span.to_range().map_or(usize::MAX, |range| range.len()));
            let nearest = places.first().and_then(|span| self.0.get(span.to_range()?));
            let nearest = nearest.map(|text| format!(" (at `{text}`)"));
            let message = chain(error.as_inner()) + &nearest.unwrap_or_default();
            self.error_at_any(places.into_iter(), Fault::Invalid(message))
        })
    }
}

/// Size of a type (bytes), `u32::MAX` if it is larger.
fn size_of_type(module: &Module, ty: &TypeInner) -> u32 {
    ty.try_size(module.to_ctx()).unwrap_or(u32::MAX)
}

/// Places where values of a type are made: types without a name have no place of their own.
fn uses(module: &Module, ty: Handle<Type>) -> impl Iterator<Item = Span> {
    let constants = module.constants.iter().filter(move |(_, constant)| constant.ty == ty);
    let constants = constants.map(|(handle, _)| module.constants.get_span(handle));
    let variables = module.functions.iter().flat_map(move |(_, function)| {
        let variables = function.local_variables.iter().filter(move |(_, local)| local.ty == ty);
        variables.map(|(handle, _)| function.local_variables.get_span(handle))
    });
    let values = module.functions.iter().flat_map(move |(_, function)| {
        let is_of_type = move |expression: &Expression| match expression {
            Expression::Compose { ty: of, .. } | Expression::ZeroValue(of) => *of == ty,
            _ => false,
        };
        let values = function.expressions.iter().filter(move |(_, value)| is_of_type(value));
        values.map(|(handle, _)| function.expressions.get_span(handle))
    });
    constants.chain(variables).chain(values)
}

fn is_stage(attribute: &Attribute) -> bool {
    matches!(
        attribute,
        Attribute::Vertex | Attribute::Fragment | Attribute::Compute | Attribute::WorkgroupSize(_)
    )
}

fn name(name: Option<&str>) -> String {
    name.unwrap_or("_").to_owned()
}

/// Message of the parser with its notes.
fn message(error: &ParseError) -> String {
    let notes = error.notes().map(|note| format!("; {note}"));
    notes.fold(error.message().to_owned(), |text, note| text + &note)
}

/// Message of an error and of those that caused it.
fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", chain(cause)),
        None => error.to_string(),
    }
}
