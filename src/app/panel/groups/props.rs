//! Editor of the props that people of a group carry.

use egui::Ui;

use crate::{
    app::panel::{
        groups::known::{SceneNames, wrong},
        widgets::{
            fold::{Fold, FoldClick, fold},
            list,
            mark::marked,
            numbers::NumberFormat,
        },
    },
    config::{AttachmentConfig, GroupConfig, limits},
    render::stats::counted,
    scene::embedded::PROPS,
};

/// List entry that opens the file dialog.
const OF_FILE: &str = "a file…";

/// Row of three numbers along or about the socket's axes.
struct Axes {
    label: &'static str,
    hint: &'static str,
    /// Tooltip of each number.
    each: [&'static str; 3],
    numbers: NumberFormat<'static>,
    /// Unit after the preset's three values in the mark's tooltip.
    told_unit: &'static str,
}

const TURN: Axes = Axes {
    label: "turn",
    hint: "rotation in the socket (°) about its X, then Y, then Z axis",
    each: [
        "rotation about the socket's X axis (°)",
        "rotation about the socket's Y axis (°)",
        "rotation about the socket's Z axis (°)",
    ],
    numbers: NumberFormat {
        range: &limits::COORDINATE,
        unit: "°",
        step: 1.0,
        decimals: 1,
    },
    told_unit: "°",
};
const SHIFT: Axes = Axes {
    label: "shift",
    hint: "offset in the socket (m) along its axes, after the rotation",
    each: [
        "offset along the socket's X axis (m)",
        "offset along the socket's Y axis (m)",
        "offset along the socket's Z axis (m)",
    ],
    numbers: NumberFormat {
        range: &limits::COORDINATE,
        // Without a unit, three numbers fit the narrowest panel.
        unit: "",
        step: 0.005,
        decimals: 2,
    },
    told_unit: " m",
};

/// Folded part with the props of a group; returns the index of a prop whose mesh file should be chosen.
pub(super) fn show(
    ui: &mut Ui,
    own: &mut GroupConfig,
    preset: &GroupConfig,
    key: &str,
    known: &SceneNames,
) -> Option<usize> {
    let key = format!("{key}.props");
    let told = |props: &[AttachmentConfig]| match props.len() as u64 {
        0 => "none".to_owned(),
        count => counted(count, "prop"),
    };
    let summary = told(&own.props);
    let line = Fold {
        title: "props",
        summary: &summary,
        hint: "objects that people carry in their hands or on their backs",
        is_wrong: known.is_wrong_within(&key),
        usual: (own.props != preset.props).then(|| told(&preset.props)),
        remove: None,
    };
    let mut of_file = None;
    let asked = fold(ui, "props", &line, |ui| {
        let mut removed = None;
        for (index, prop) in own.props.iter_mut().enumerate() {
            let key = format!("{key}.{index}");
            match one(ui, index, prop, preset.props.get(index), &key, known) {
                PropRequest::Nothing => {}
                PropRequest::Removal => removed = Some(index),
                PropRequest::File => of_file = Some(index),
            }
        }
        if let Some(index) = removed {
            own.props.remove(index);
        }
        let meshes = [PROPS, &[OF_FILE]].concat();
        match list::add(ui, "add a prop", "add a prop with this mesh", &meshes) {
            Some(mesh) if mesh == OF_FILE => of_file = Some(own.props.len()),
            Some(mesh) => own.props.push(new(mesh, known)),
            None => {}
        }
    });
    if asked == FoldClick::Reset {
        own.props.clone_from(&preset.props);
    }
    of_file
}

/// Requested change of a prop other than its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PropRequest {
    Nothing,
    /// Remove the prop.
    Removal,
    /// Choose a mesh file.
    File,
}

/// New prop in the default socket, or in the first one if no character has that.
fn new(mesh: String, known: &SceneNames) -> AttachmentConfig {
    let usual = AttachmentConfig::default();
    let socket = match known.sockets.first() {
        Some(first) if !known.sockets.contains(&usual.socket) => first.clone(),
        _ => usual.socket.clone(),
    };
    AttachmentConfig { mesh, socket, ..usual }
}

/// Folded part of a prop; a prop missing in the preset has no marks.
fn one(
    ui: &mut Ui,
    index: usize,
    own: &mut AttachmentConfig,
    preset: Option<&AttachmentConfig>,
    key: &str,
    known: &SceneNames,
) -> PropRequest {
    let preset = preset.unwrap_or(own).clone();
    let title = std::path::Path::new(&own.mesh).file_stem().unwrap_or_default();
    let title = title.to_string_lossy().into_owned();
    let summary = format!("{}, {:.0} %", own.socket, own.share * 100.0);
    let line = Fold {
        title: &title,
        summary: &summary,
        hint: "prop: its mesh, socket and share of people",
        is_wrong: known.is_wrong_within(key),
        usual: (*own != preset).then(|| "another prop or place".to_owned()),
        remove: Some("remove this prop"),
    };
    let mut of_file = false;
    let asked = fold(ui, index, &line, |ui| of_file = rows(ui, own, &preset, known));
    match asked {
        FoldClick::Removal => return PropRequest::Removal,
        FoldClick::Reset => *own = preset,
        FoldClick::Nothing => {}
    }
    if of_file {
        PropRequest::File
    } else {
        PropRequest::Nothing
    }
}

/// Rows of a prop's settings; true if a mesh file should be chosen.
fn rows(ui: &mut Ui, own: &mut AttachmentConfig, preset: &AttachmentConfig, known: &SceneNames) -> bool {
    let of_file = mesh(ui, &mut own.mesh, &preset.mesh);
    let sockets: Vec<&str> = known.sockets.iter().map(String::as_str).collect();
    let hint = "attachment point of the character; it holds the first prop whose share includes the person";
    marked(
        ui,
        "socket",
        hint,
        &mut own.socket,
        &preset.socket,
        String::clone,
        |ui, socket| list::pick(ui, "socket", socket, &sockets),
    );
    let has = sockets.iter().any(|name| name.eq_ignore_ascii_case(&own.socket));
    match has {
        true => ui.skip_ahead_auto_ids(1),
        false => wrong(ui, "no character has this socket, so nobody carries the prop"),
    }
    share(ui, &mut own.share, &preset.share);
    axes(ui, &TURN, &mut own.turn, &preset.turn);
    axes(ui, &SHIFT, &mut own.shift, &preset.shift);
    of_file
}

/// Row for the mesh: an embedded one or a file. True if a file should be chosen.
fn mesh(ui: &mut Ui, own: &mut String, preset: &String) -> bool {
    let present = [preset.clone(), own.clone()];
    let files = present.iter().map(String::as_str).filter(|mesh| !PROPS.contains(mesh));
    let mut meshes: Vec<&str> = PROPS.iter().copied().chain(files).collect();
    meshes.dedup();
    meshes.push(OF_FILE);
    let before = own.clone();
    marked(
        ui,
        "mesh",
        "mesh of the prop: embedded, or a file",
        own,
        preset,
        String::clone,
        |ui, mesh| list::pick_shown(ui, "mesh", mesh, &meshes, file_name),
    );
    let of_file = own == OF_FILE;
    if of_file {
        *own = before;
    }
    of_file
}

/// File name without folders.
fn file_name(mesh: &str) -> &str {
    let name = std::path::Path::new(mesh).file_name().and_then(|name| name.to_str());
    name.unwrap_or(mesh)
}

fn axes(ui: &mut Ui, row: &Axes, own: &mut [f32; 3], preset: &[f32; 3]) {
    let tell = |v: &[f32; 3]| format!("{}, {}, {}{}", v[0], v[1], v[2], row.told_unit);
    marked(ui, row.label, row.hint, own, preset, tell, |ui, numbers| {
        row.numbers.axes(ui, numbers, row.each);
    });
}

fn share(ui: &mut Ui, share: &mut f32, preset: &f32) {
    let hint = "share of the group's people who carry it (%)";
    let tell = |share: &f32| format!("{:.0} %", share * 100.0);
    marked(ui, "share", hint, share, preset, tell, |ui, share| {
        let mut percent = *share * 100.0;
        let slider = crate::app::panel::widgets::style::slider(&mut percent, 0.0..=100.0);
        if ui.add(slider.suffix(" %").max_decimals(1)).changed() {
            *share = percent / 100.0;
        }
    });
}
