//! Actions that keys and buttons trigger.

use crate::app::state::{open::FileRequest, playback::Playback};

/// Action of a key or a button.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Show or hide the panel.
    TogglePanel,
    /// Change the scene's time.
    Play(Playback),
    /// Multiply the number of people.
    ScaleCount(f64),
    /// Next seed.
    NextSeed,
    /// Show or hide the compare view.
    ToggleCompare,
    /// Switch between pictures and difference map in the compare view.
    ToggleHeat,
    /// Swap left and right side.
    SwapSides,
    /// Measure all techniques for the table.
    TechniqueSweep,
    /// Search the largest crowd within the frame time, or stop searching.
    Stress,
    /// Open or close the viewer.
    ToggleViewer,
    /// Select the person at a pixel.
    Pick([f32; 2]),
    /// Take the selected person over from the baked crowd, or hand them back.
    TakeOver,
    /// Stop the running search or build, otherwise deselect.
    Cancel,
    /// Build a crowd whose frames take seconds.
    Agree,
    /// Cancel loading and keep the scene shown.
    StopLoading,
    /// The next technique.
    NextTechnique,
    /// The next atlas format.
    NextFormat,
    /// Send the camera to a view.
    View(&'static str),
    /// Frame the whole crowd.
    FrameAll,
    /// Add a key to the camera path at the current position and time.
    AddCameraKey,
    /// Copy the camera path to the clipboard.
    CopyCameraPath,
    /// Save the scene with its camera path.
    SaveCameraPath,
    /// Save the scene to its file.
    SaveScene,
    /// Choose a file and save the scene to it.
    SaveSceneAs,
    /// Choose a file and bake the chosen character to it.
    BakeCharacter,
    /// Choose a folder and export the chosen character to it.
    ExportCharacter,
    /// Choose a scene file to open.
    OpenScene,
    /// Choose characters to open.
    OpenCharacters,
    /// Choose files for a purpose.
    AskForFiles(FileRequest),
    /// Open one of the recent files, by its index.
    OpenRecent(usize),
    /// Copy the command line that draws this picture.
    CopyCommand,
    /// Save the picture to a file.
    Screenshot,
    /// Begin or end a film.
    ToggleFilm,
    /// Cancel the film without a file.
    CancelFilm,
    /// Save the camera position as a view of the scene.
    KeepView,
    /// Undo the newest change of settings.
    Undo,
    /// Redo the change undone last.
    Redo,
    /// Show or hide the list of shortcuts.
    ToggleKeys,
    /// Switch vsync.
    ToggleVsync,
    /// Copy the statistics to the clipboard.
    CopyStats,
    /// Switch full screen.
    ToggleFullscreen,
    /// Simulate a lost device.
    LoseDevice,
    /// Simulate a lost surface.
    LoseSurface,
    /// Close the window.
    Quit,
}

impl Action {
    /// True if holding the key repeats the action.
    #[must_use]
    pub(crate) const fn repeats(self) -> bool {
        matches!(
            self,
            Self::Play(Playback::Step(_) | Playback::Skip(_)) | Self::Undo | Self::Redo
        )
    }
}

/// Tabs of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    /// Scene, rendering and profiling.
    #[default]
    Crowd,
    /// Two draw methods side by side.
    Compare,
    /// Contents of a character.
    Character,
    /// One person.
    Person,
}
