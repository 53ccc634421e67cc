//! Finds the parts of a shader that only fragment stages may use.

use wgpu::naga;

/// Operation of a function that only a fragment entry point may use: derivatives (sampling without a level included)
/// and discard.
/// A compute pass can call every other function.
pub fn needs_a_fragment(function: &naga::Function) -> Option<&'static str> {
    let derived = function
        .expressions
        .iter()
        .find_map(|(_, expression)| match expression {
            naga::Expression::Derivative { .. } => Some("a derivative"),
            naga::Expression::ImageSample {
                level: naga::SampleLevel::Auto | naga::SampleLevel::Bias(_),
                ..
            } => Some("a sample whose level is derived"),
            _ => None,
        });
    derived.or_else(|| discards(&function.body).then_some("a discard"))
}

fn discards(block: &naga::Block) -> bool {
    use naga::Statement;
    block.iter().any(|statement| match statement {
        Statement::Kill => true,
        Statement::Block(inner) => discards(inner),
        Statement::If { accept, reject, .. } => discards(accept) || discards(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| discards(&case.body)),
        Statement::Loop { body, continuing, .. } => discards(body) || discards(continuing),
        _ => false,
    })
}

#[test]
fn what_needs_a_fragment_is_found() {
    let parse = |body: &str| {
        let source = format!(
            "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
            fn f(x: vec2<f32>) -> vec4<f32> {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&source).expect("valid");
        module.functions.iter().next().and_then(|(_, f)| needs_a_fragment(f))
    };
    assert!(parse("return vec4<f32>(dpdx(x), x);").is_some());
    assert!(parse("return vec4<f32>(fwidth(x), x);").is_some());
    assert!(parse("return textureSample(t, s, x);").is_some());
    assert!(parse("if x.x > 0.0 { loop { discard; } } return vec4<f32>(0.0);").is_some());
    assert_eq!(parse("return textureSampleGrad(t, s, x, x, x);"), None);
    assert_eq!(parse("return textureSampleLevel(t, s, x, 0.0);"), None);
}
