//! What people of a group carry.

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

/// Entry for a file that is chosen in a dialog.
const OF_FILE: &str = "a file…";

/// A row of three numbers, of the socket's axes.
struct Axes {
    label: &'static str,
    hint: &'static str,
    /// Description of each.
    each: [&'static str; 3],
    numbers: NumberFormat<'static>,
    /// Behind the three of the preset.
    told_unit: &'static str,
}

const TURN: Axes = Axes {
    label: "turn",
    hint: "how it is turned in the socket, degrees about the socket's X, then Y, then Z",
    each: [
        "degrees about the socket's X",
        "degrees about the socket's Y",
        "degrees about the socket's Z",
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
    hint: "how far it is moved in the socket after the turn, metres along the socket's X, Y and Z",
    each: [
        "metres along the socket's X",
        "metres along the socket's Y",
        "metres along the socket's Z",
    ],
    numbers: NumberFormat {
        range: &limits::COORDINATE,
        // Three of them fit the narrowest panel.
        unit: "",
        step: 0.005,
        decimals: 2,
    },
    told_unit: " m",
};

/// A part with the props of a group; the number of the one whose mesh is to be that of a file.
pub(super) fn show(
    ui: &mut Ui,
    (own, preset): (&mut GroupConfig, &GroupConfig),
    (key, known): (&str, &SceneNames),
) -> Option<usize> {
    let key = format!("{key}.props");
    let told = |props: &[AttachmentConfig]| match props.len() as u64 {
        0 => "nothing".to_owned(),
        count => counted(count, "thing"),
    };
    let summary = told(&own.props);
    let line = Fold {
        title: "props",
        summary: &summary,
        hint: "things in the hands or on the backs of its people",
        is_wrong: known.is_wrong_within(&key),
        usual: (own.props != preset.props).then(|| told(&preset.props)),
        remove: None,
    };
    let mut of_file = None;
    let asked = fold(ui, "props", &line, |ui| {
        let mut removed = None;
        for (index, prop) in own.props.iter_mut().enumerate() {
            let key = format!("{key}.{index}");
            match one(ui, index, (prop, preset.props.get(index)), (&key, known)) {
                PropRequest::Nothing => {}
                PropRequest::Removal => removed = Some(index),
                PropRequest::File => of_file = Some(index),
            }
        }
        if let Some(index) = removed {
            own.props.remove(index);
        }
        let meshes = [PROPS, &[OF_FILE]].concat();
        match list::add(ui, ("add a prop", "something more to carry"), &meshes) {
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
    /// Nobody carries it any more.
    Removal,
    /// The mesh of a file.
    File,
}

/// A prop in the hand, or where there is a socket.
fn new(mesh: String, known: &SceneNames) -> AttachmentConfig {
    let usual = AttachmentConfig::default();
    let socket = match known.sockets.first() {
        Some(first) if !known.sockets.contains(&usual.socket) => first.clone(),
        _ => usual.socket.clone(),
    };
    AttachmentConfig { mesh, socket, ..usual }
}

/// A prop. One that the preset does not have is compared with nothing.
fn one(
    ui: &mut Ui,
    index: usize,
    (own, preset): (&mut AttachmentConfig, Option<&AttachmentConfig>),
    (key, known): (&str, &SceneNames),
) -> PropRequest {
    let preset = preset.unwrap_or(own).clone();
    let title = std::path::Path::new(&own.mesh).file_stem().unwrap_or_default();
    let title = title.to_string_lossy().into_owned();
    let summary = format!("{}, {:.0} %", own.socket, own.share * 100.0);
    let line = Fold {
        title: &title,
        summary: &summary,
        hint: "what is carried, where, and by how many",
        is_wrong: known.is_wrong_within(key),
        usual: (*own != preset).then(|| "another prop or place".to_owned()),
        remove: Some("nobody carries it any more"),
    };
    let mut of_file = false;
    let asked = fold(ui, index, &line, |ui| of_file = rows(ui, (own, &preset), known));
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

/// All that can be set of a prop; whether its mesh is to be that of a file.
fn rows(ui: &mut Ui, (own, preset): (&mut AttachmentConfig, &AttachmentConfig), known: &SceneNames) -> bool {
    let of_file = mesh(ui, (&mut own.mesh, &preset.mesh));
    let sockets: Vec<&str> = known.sockets.iter().map(String::as_str).collect();
    let hint = "attachment point of the character; it holds the first prop whose share includes the person";
    marked(
        ui,
        ("socket", hint),
        (&mut own.socket, &preset.socket, String::clone),
        |ui, socket| list::pick(ui, "socket", socket, &sockets),
    );
    let has = sockets.iter().any(|name| name.eq_ignore_ascii_case(&own.socket));
    match has {
        true => ui.skip_ahead_auto_ids(1),
        false => wrong(ui, "no character has this socket: nobody carries it"),
    }
    share(ui, (&mut own.share, &preset.share));
    axes(ui, &TURN, (&mut own.turn, &preset.turn));
    axes(ui, &SHIFT, (&mut own.shift, &preset.shift));
    of_file
}

/// Mesh that is carried: one of the program's, or a file. True if another file is requested.
fn mesh(ui: &mut Ui, (own, preset): (&mut String, &String)) -> bool {
    let present = [preset.clone(), own.clone()];
    let files = present.iter().map(String::as_str).filter(|mesh| !PROPS.contains(mesh));
    let mut meshes: Vec<&str> = PROPS.iter().copied().chain(files).collect();
    meshes.dedup();
    meshes.push(OF_FILE);
    let before = own.clone();
    marked(
        ui,
        ("mesh", "what is carried"),
        (own, preset, String::clone),
        |ui, mesh| list::pick_shown(ui, "mesh", mesh, (&meshes, file_name)),
    );
    let of_file = own == OF_FILE;
    if of_file {
        *own = before;
    }
    of_file
}

/// A file without its folders.
fn file_name(mesh: &str) -> &str {
    let name = std::path::Path::new(mesh).file_name().and_then(|name| name.to_str());
    name.unwrap_or(mesh)
}

fn axes(ui: &mut Ui, row: &Axes, (own, preset): (&mut [f32; 3], &[f32; 3])) {
    let tell = |v: &[f32; 3]| format!("{}, {}, {}{}", v[0], v[1], v[2], row.told_unit);
    marked(ui, (row.label, row.hint), (own, preset, tell), |ui, numbers| {
        row.numbers.axes(ui, numbers, row.each);
    });
}

fn share(ui: &mut Ui, (share, preset): (&mut f32, &f32)) {
    let hint = "how many people of the group have it, per cent";
    let tell = |share: &f32| format!("{:.0} %", share * 100.0);
    marked(ui, ("share", hint), (share, preset, tell), |ui, share| {
        let mut percent = *share * 100.0;
        let slider = crate::app::panel::widgets::style::slider(&mut percent, 0.0..=100.0);
        if ui.add(slider.suffix(" %").max_decimals(1)).changed() {
            *share = percent / 100.0;
        }
    });
}
