//! The window and the desktop: dropped files, the clipboard, the scale of text.

use std::{path::Path, time::Duration};

use image::RgbaImage;
use x11rb::{
    COPY_DEPTH_FROM_PARENT, CURRENT_TIME, NONE,
    connection::Connection as _,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Window, can_test, throng, wait};
use crate::common::gpu::adapter;

/// Another program on the display, which drags files and reads the clipboard.
struct Peer {
    display: RustConnection,
    window: u32,
}

impl Peer {
    fn new() -> Self {
        let (display, screen) = x11rb::connect(None).expect("an X display");
        let window = display.generate_id().expect("an id");
        let root = display.setup().roots[screen].root;
        let options = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let (depth, class) = (COPY_DEPTH_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        let made = display.create_window(depth, window, root, 0, 0, 1, 1, 0, class, 0, &options);
        made.expect("sent").check().expect("a window");
        Self { display, window }
    }

    fn atom(&self, name: &str) -> u32 {
        let asked = self.display.intern_atom(false, name.as_bytes()).expect("sent");
        asked.reply().expect("an atom").atom
    }

    fn send(&self, target: u32, name: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, target, self.atom(name), data);
        let sent = self.display.send_event(false, target, EventMask::NO_EVENT, message);
        sent.expect("sent").check().expect("taken");
    }

    /// Waits for a message of a kind; meanwhile serves requests for the dragged data.
    fn answer(&self, name: &str, dragged: &[u8]) -> ClientMessageEvent {
        let kind = self.atom(name);
        wait(name, || match self.display.poll_for_event().expect("a display")? {
            Event::SelectionRequest(request) => {
                self.give(&request, dragged);
                None
            }
            Event::ClientMessage(message) if message.type_ == kind => Some(message),
            _ => None,
        })
    }

    fn give(&self, request: &SelectionRequestEvent, bytes: &[u8]) {
        let (requestor, property, target) = (request.requestor, request.property, request.target);
        let put = self
            .display
            .change_property8(PropMode::REPLACE, requestor, property, target, bytes);
        put.expect("sent").check().expect("taken");
        let answer = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor,
            selection: request.selection,
            target,
            property,
        };
        let sent = self.display.send_event(false, requestor, EventMask::NO_EVENT, answer);
        sent.expect("sent").check().expect("taken");
    }

    /// Drags a file over a window and drops it, as file managers do.
    fn drop_on(&self, target: u32, file: &Path) {
        let uris = format!("file://{}\r\n", file.display());
        let selection = self.atom("XdndSelection");
        let owns = self.display.set_selection_owner(self.window, selection, CURRENT_TIME);
        owns.expect("sent").check().expect("taken");
        let (version, place) = (5 << 24, 480 << 16 | 200);
        let copy = self.atom("XdndActionCopy");
        self.send(
            target,
            "XdndEnter",
            [self.window, version, self.atom("text/uri-list"), 0, 0],
        );
        self.send(target, "XdndPosition", [self.window, 0, place, CURRENT_TIME, copy]);
        let status = self.answer("XdndStatus", uris.as_bytes());
        assert_eq!(status.data.as_data32()[1] & 1, 1, "the window takes it");
        self.send(target, "XdndDrop", [self.window, 0, CURRENT_TIME, 0, 0]);
        self.answer("XdndFinished", uris.as_bytes());
    }

    /// Text in the clipboard.
    fn clipboard(&self) -> Option<String> {
        let [clipboard, text, own] = ["CLIPBOARD", "UTF8_STRING", "THRONG_TEST"].map(|name| self.atom(name));
        let asked = self
            .display
            .convert_selection(self.window, clipboard, text, own, CURRENT_TIME);
        asked.expect("sent").check().expect("taken");
        let notified = wait("the clipboard", || {
            match self.display.poll_for_event().expect("a display")? {
                Event::SelectionNotify(notified) => Some(notified),
                _ => None,
            }
        });
        if notified.property == NONE {
            return None;
        }
        let read = self
            .display
            .get_property(true, self.window, own, AtomEnum::ANY, 0, 1 << 20);
        String::from_utf8(read.expect("sent").reply().expect("a property").value).ok()
    }
}

/// Opens a window for the peer.
fn opened(folder: &Path, size: &str, scale: &str) -> Window {
    let mut command = throng();
    command.args(["--size", size, "--adapter", adapter(), "--count", "6"]);
    command.env("WINIT_X11_SCALE_FACTOR", scale);
    let window = Window::start(command.current_dir(folder));
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "space"]);
    window.still();
    window
}

#[test]
fn a_dropped_file_is_opened_and_the_command_of_its_picture_is_in_the_clipboard() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("somebody new.glb");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/knight.glb"), &file).expect("copied");
    let (window, peer) = (opened(folder.path(), "900x600", "1"), Peer::new());
    let command = || {
        window.xdotool(&["key", "ctrl+shift+c"]);
        std::thread::sleep(Duration::from_millis(500));
        peer.clipboard().unwrap_or_default()
    };
    let before = wait("the command in the clipboard", || {
        Some(command()).filter(|text| text.starts_with("throng shot "))
    });
    assert!(!before.contains("somebody new.glb"), "{before}");
    peer.drop_on(window.id.parse().expect("a number"), &file);
    wait("the command of the new character", || {
        command().contains("somebody new.glb").then_some(())
    });
    window.still();
    window.xdotool(&["key", "c"]);
    let statistics = wait("statistics in the clipboard", || {
        serde_json::from_str::<serde_json::Value>(&peer.clipboard()?).ok()
    });
    assert_eq!(statistics["instances"], 6, "{statistics}");
    assert_eq!(window.quit(), Some(0));
}

/// Width of the panel (px), by its background colour.
fn panel_width(picture: &RgbaImage) -> u32 {
    let rows = picture.height() - 30..picture.height();
    let plain = |y: u32| {
        let ground = picture.get_pixel(0, y);
        (0..picture.width())
            .take_while(|&x| picture.get_pixel(x, y) == ground)
            .count() as u32
    };
    rows.map(plain).max().unwrap_or_default()
}

#[test]
fn text_is_twice_as_large_where_the_display_says_so() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = [("1600x600", "1"), ("1600x600", "2"), ("900x600", "2")].map(|(size, scale)| {
        let window = opened(folder.path(), size, scale);
        let picture = window.screenshot();
        assert_eq!(window.quit(), Some(0));
        picture
    });
    let [once, twice, narrow] = pictures.each_ref().map(panel_width);
    assert!((250..400).contains(&once), "{once}");
    assert!(twice.abs_diff(2 * once) <= 4, "{once} and {twice} columns");
    assert!(narrow.abs_diff(360) <= 4, "{narrow} columns of 900, 40 %");
}
