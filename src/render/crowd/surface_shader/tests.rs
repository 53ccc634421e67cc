//! Texts that are refused, with their lines, and texts that are not.

use super::*;

/// Fault of a text and its line.
fn refused(text: &str) -> (u32, SurfaceShaderFault) {
    let error = SurfaceShader::new(text).expect_err(text);
    assert!(
        error
            .to_string()
            .starts_with(&format!("line {} of the surface shader: ", error.line)),
        "{error}"
    );
    (error.line, error.fault)
}

/// Text whose function has this body; its first line is 2.
fn with_body(body: &str) -> String {
    format!("fn surface_radiance(point: SurfacePoint) -> vec3<f32> {{\n{body}\nreturn point.base_color;\n}}\n")
}

/// Text with declarations in front of a valid function.
fn with_declarations(declarations: &str) -> String {
    declarations.to_owned() + &with_body("")
}

fn is_invalid(fault: &SurfaceShaderFault, words: &str) -> bool {
    matches!(fault, SurfaceShaderFault::Invalid(message) if message.contains(words))
}

#[test]
fn functions_constants_structs_and_the_standard_lighting_may_be_used() {
    let text = "// A comment: @group(0) var enable\nconst BANDS = 3;\nstruct Band { share: f32 }\n\
        fn shade(band: Band, by: ptr<function, f32>) -> f32 { *by += 1.0; return band.share * *by; }\n\
        @must_use fn surface_radiance(own: SurfacePoint) -> vec3<f32> {\n\
        var sum = vec3<f32>(0.0); var times = 0.0;\n\
        for (var i = 0; i < BANDS; i++) { sum += standard_radiance(own) * shade(Band(own.uv.x), &times); }\n\
        return sum / f32(BANDS) + select(own.emissive, vec3<f32>(0.0), own.unlit);\n}";
    assert_eq!(
        SurfaceShader::new(text).map(|shader| shader.text().to_owned()),
        Ok(text.to_owned())
    );
    let aliased = "alias P = SurfacePoint; fn surface_radiance(p: P) -> vec3f { return p.normal; }";
    assert!(SurfaceShader::new(aliased).is_ok());
}

#[test]
fn invalid_texts_are_refused_with_the_line() {
    let cases = [
        ("let x = ;", 2, "expected"),
        ("let x = 1.0;\nlet y = x + colour;", 3, "colour"),
        (
            "let x = 1.0;\n\nif point.uv { return point.normal; }",
            4,
            "(at `point.uv`)",
        ),
        ("return vec4<f32>(1.0);", 2, "(at `vec4<f32>(1.0)`)"),
    ];
    for (body, line, words) in cases {
        let (at, fault) = refused(&with_body(body));
        assert!(at == line && is_invalid(&fault, words), "{body}: {at} {fault}");
    }
    // These go on after the text.
    for text in [
        "fn surface_radiance(point: SurfacePoint) -> vec3<f32> {\n  let a = 1.0;\n",
        "const A =\n 1\n\n",
    ] {
        let (line, fault) = refused(text);
        assert!(line == 2 && is_invalid(&fault, ""), "{line} {fault}");
    }
    let (line, fault) = refused(&with_declarations("\n/*\n\n"));
    assert!(line == 2 && is_invalid(&fault, "comment"), "{line} {fault}");
    let (line, fault) = refused(&with_declarations("const A = 1;\nstruct SurfacePoint { x: f32 }\n"));
    assert!(line == 2 && is_invalid(&fault, "SurfacePoint"), "{line} {fault}");
    let (line, fault) = refused(&with_declarations("import package::shared::frame::frame;\n"));
    assert!(line == 1 && is_invalid(&fault, "import"), "{line} {fault}");
}

#[test]
fn another_function_or_none_is_refused() {
    assert_eq!(
        refused("const A = 1;\nconst B = 2;\n\n"),
        (2, SurfaceShaderFault::Missing)
    );
    assert_eq!(refused(""), (1, SurfaceShaderFault::Missing));
    for text in [
        "const A = 1;\nfn surface_radiance(point: SurfacePoint) -> vec4<f32> { return vec4<f32>(1.0); }",
        "const A = 1;\nfn surface_radiance(point: SurfacePoint) -> vec3<u32> { return vec3<u32>(1u); }",
        "const A = 1;\nfn surface_radiance(point: SurfacePoint) {}",
        "const A = 1;\nfn surface_radiance(normal: vec3<f32>) -> vec3<f32> { return normal; }",
        "const A = 1;\nfn surface_radiance() -> vec3<f32> { return vec3<f32>(A); }",
        "const A = 1;\nfn surface_radiance(a: SurfacePoint, b: f32) -> vec3<f32> { return a.normal * b; }",
    ] {
        assert_eq!(refused(text), (2, SurfaceShaderFault::Signature), "{text}");
    }
}

#[test]
fn bindings_and_variables_outside_functions_are_refused() {
    for (declaration, name) in [
        ("@group(1) @binding(9)\nvar<uniform> mine: vec4<f32>;\n", "mine"),
        ("\n@group(0) @binding(0) var picture: texture_2d<f32>;\n", "picture"),
        ("\nvar<private> counter: u32;\n", "counter"),
        ("\nvar<workgroup> tile: array<u32, 4>;\n", "tile"),
    ] {
        assert_eq!(
            refused(&with_declarations(declaration)),
            (2, SurfaceShaderFault::Variable(name.into())),
            "{declaration}"
        );
    }
}

#[test]
fn overrides_entry_points_and_directives_are_refused() {
    let text = with_declarations("\noverride strength: f32 = 1.0;\n");
    assert_eq!(refused(&text), (2, SurfaceShaderFault::Override("strength".into())));
    for entry in [
        "// fn main\n@compute @workgroup_size(1) fn main() {}\n",
        "\n@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n",
        "\n@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); }\n",
    ] {
        assert_eq!(
            refused(&with_declarations(entry)),
            (2, SurfaceShaderFault::EntryPoint("main".into())),
            "{entry}"
        );
    }
    let text = with_declarations("// enable nothing\ndiagnostic(off, derivative_uniformity);\n");
    assert_eq!(refused(&text), (2, SurfaceShaderFault::Directive));
    let (line, fault) = refused(&with_declarations("\nenable f16;\n"));
    assert!(line == 2 && is_invalid(&fault, "f16"), "{fault}");
}

#[test]
fn operations_of_some_stages_alone_are_refused() {
    for (body, operation) in [
        ("let a = 1.0;\nlet b = dpdx(point.uv.x);", "a derivative"),
        (
            "let a = 1.0;\nif fwidth(a) > 0.0 { return point.normal; }",
            "a derivative",
        ),
        ("if point.unlit {\ndiscard; }", "discard"),
        ("\nworkgroupBarrier();", "a barrier"),
        ("\nstorageBarrier();", "a barrier"),
    ] {
        assert_eq!(
            refused(&with_body(body)),
            (3, SurfaceShaderFault::Operation(operation)),
            "{body}"
        );
    }
}

#[test]
fn loops_that_may_not_end_are_refused() {
    for body in [
        "loop {}",
        "loop { if point.unlit { break; } }",
        "while true {}",
        "while point.uv.x > 0.0 {}",
        "for (;;) {}",
        "for (var i = 0u; ; i++) {}",
        "for (var i = 0u; i < 8u; ) {}",
        "for (var i = 0u; i < 8u; i--) {}",
        "for (var i = 0u; i < 8u; i += 0u) {}",
        "for (var i = 0u; i != 9u; i += 2u) {}",
        "for (var i = 0u; i < 8u; i *= 2u) {}",
        "for (var x = 0.0; x < 1.0; x += 0.1) {}",
        "for (var i = 0u; i < point.tint; i++) {}",
        "for (var i = i32(point.uv.x); i < 8; i++) {}",
        "for (var i = 0u; i < 8u; i++) { i = 0u; }",
        "for (var i = 0u; i < 8u; i++) { if point.unlit { i -= 1u; } }",
        "for (var i = 0u; i < 8u; i++) { let own = &i; *own = 0u; }",
        "for (var i = 0u; i < 8u; i++) { reset(&i); }",
        "for (var i = 0u; i < 8u; reset(&i)) {}",
        "for (var i = 0; i < 2147483647; i += 2) {}",
        "for (var i = 0u; i <= 4294967295u; i++) {}",
        // These compute the condition or the next value once, before the loop.
        "var i = 0u; let goes_on = i < 8u;\nfor (; goes_on; i++) {}",
        "var i = 0u; let next = i + 1u;\nfor (; i < 8u; i = next) {}",
        "var i = 0u; let now = i;\nfor (; now < 8u; i++) {}",
        "var i = 0u; let now = i;\nfor (; i < 8u; i = now + 1u) {}",
        "for (var i = 0u; i < 8u; i++) {\nfor (var j = 0u; j < 8u; j++) { i = 0u; } }",
    ] {
        let text = format!("fn reset(i: ptr<function, u32>) {{ *i = 0u; }} {}", with_body(body));
        let (line, fault) = refused(&text);
        assert!(
            fault == SurfaceShaderFault::Loop && (2..=3).contains(&line),
            "{body}: {line} {fault}"
        );
    }
}

#[test]
fn loops_that_count_to_a_constant_are_allowed() {
    for body in [
        "for (var i = 0u; i < 8u; i++) {}",
        "for (var i = -8; i <= 8; i += 4) { if point.unlit { continue; } if i == 4 { break; } }",
        "for (var i = 0; i < LAST; i++) { for (var j = i32(0); j < LAST; j++) {} }",
        "var i = 3u; for (; i < 8u; i++) { let read = i; }",
        "for (var i = 0u; i < 8u; i++) { switch i { case 1u: { return point.normal; } default: {} } }",
        "for (var i = 0u; i < 8u; i++) {} for (var i = 0u; i < 8u; i++) {}",
    ] {
        let text = format!("const LAST = 30; {}", with_body(body));
        assert_eq!(SurfaceShader::new(&text).map(|_| ()), Ok(()), "{body}");
    }
}

/// Steps of a function with this body, if they are too many.
fn excess(body: &str) -> Option<u64> {
    match SurfaceShader::new(&with_body(body)).err()?.fault {
        SurfaceShaderFault::Steps { function, steps } if function == "surface_radiance" => Some(steps),
        other => panic!("{body}: {other}"),
    }
}

#[test]
fn steps_of_loops_and_calls_are_limited() {
    let turns = |count: u32, body: &str| excess(&format!("for (var i = 0u; i < {count}u; i++) {{ {body} }}"));
    assert_eq!(turns(8192, ""), None);
    let counts = [turns(100_000, ""), turns(200_000, "")].map(|steps| steps.expect("too many"));
    // One for each turn, and as many operations in each.
    assert!(
        counts[0] > 200_000 && counts[1].abs_diff(2 * counts[0]) < 100,
        "{counts:?}"
    );
    let nested = |count: u32| turns(count, &format!("for (var j = 0u; j < {count}u; j++) {{}}"));
    assert_eq!(nested(90), None);
    assert!(nested(300).is_some_and(|steps| steps > 90_000 && steps < 900_000));
    assert_eq!(turns(2000, ""), None);
    assert!(turns(2000, &"_ = sin(point.uv.x) + point.uv.y;".repeat(20)).is_some());
    assert!(excess("for (var i = -50000; i <= 50000; i += 2) {}").is_some());
    // Functions that call the one before twice double the steps.
    let mut text = "fn call0() -> f32 { return 1.0; }\n".to_owned();
    for number in 1..60 {
        let before = number - 1;
        text += &format!("fn call{number}() -> f32 {{ return call{before}() + call{before}(); }}\n");
    }
    let (line, fault) = refused(&(text + &with_body("")));
    let function = "call15".to_owned();
    assert_eq!(
        (line, fault),
        (
            16,
            SurfaceShaderFault::Steps {
                function,
                steps: 98_301
            }
        )
    );
}

#[test]
fn memory_and_length_are_limited() {
    let array = |count: u32| SurfaceShader::new(&with_body(&format!("\nvar table = array<f32, {count}>();")));
    assert!(array(2048).is_ok());
    let fault = |what: &str, bytes| SurfaceShaderFault::Memory {
        what: what.into(),
        bytes,
    };
    let error = array(2049).expect_err("too large");
    assert_eq!((error.line, error.fault), (3, fault("this type", 8196)));
    let error = array(u32::MAX).expect_err("too large");
    assert_eq!((error.line, error.fault), (3, fault("this type", u32::MAX)));
    let text = with_declarations("\nstruct Table { rows: array<vec4<f32>, 1000> }\n");
    assert_eq!(refused(&text), (2, fault("`Table`", 16_000)));
    let two = with_body("var a: array<f32, 2000>; var b: array<f32, 2000>;");
    assert_eq!(refused(&two), (1, fault("all variables of `surface_radiance`", 16_000)));
    let long = with_declarations(&"// long\n".repeat(10_000));
    let bytes = long.len();
    assert_eq!(refused(&long), (8193, SurfaceShaderFault::Text { bytes }));
    // Deep texts end the parser's patience, not its stack.
    let deep = with_body(&format!("let x = {}1.0{};", "(".repeat(20_000), ")".repeat(20_000)));
    assert!(is_invalid(&refused(&deep).1, ""));
    let nested = with_body(&format!("{}{}", "{".repeat(20_000), "}".repeat(20_000)));
    assert!(is_invalid(&refused(&nested).1, ""));
}

#[test]
fn messages_name_place_fault_and_fix() {
    let text = with_declarations("\n@group(0) @binding(7) var<uniform> mine: f32;\n");
    let message = SurfaceShader::new(&text).expect_err("a binding").to_string();
    assert_eq!(
        message,
        "line 2 of the surface shader: `var mine` is outside functions, where bindings and variables are not allowed; \
         use `const`, or `var` within a function"
    );
}
