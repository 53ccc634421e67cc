//! What keys and buttons ask for.

use crate::app::state::open::FileRequest;

/// Something that a key or a button asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Show or hide the panel.
    TogglePanel,
    /// Pause or go on.
    TogglePause,
    /// Pause and move by steps of the clock.
    Step(i32),
    /// Multiply the count.
    ScaleCount(f64),
    /// Another crowd of the same kind.
    NextSeed,
    /// Show or hide the compare view.
    ToggleCompare,
    /// Difference or pictures in the compare view.
    ToggleHeat,
    /// Left becomes right.
    SwapSides,
    /// Measure all techniques for the table.
    TechniqueSweep,
    /// Search the largest crowd in time, or stop searching.
    Stress,
    /// One character alone, or the scene again.
    ToggleViewer,
    /// Select the person at a pixel.
    Pick([f32; 2]),
    /// Take the person picked over from the baked crowd, or hand them back.
    TakeOver,
    /// Stop what is running, otherwise deselect.
    Cancel,
    /// Build a crowd of which a frame takes seconds.
    Agree,
    /// Stay at the scene that is shown.
    StopLoading,
    /// The next technique.
    NextTechnique,
    /// The next atlas format.
    NextFormat,
    /// Go to a view.
    View(&'static str),
    /// Go to where the whole crowd is seen.
    FrameAll,
    /// A key of the camera's path: here and now.
    AddCameraKey,
    /// The keys of the camera's path to the clipboard.
    CopyCameraPath,
    /// The scene with the camera's path to a file.
    SaveCameraPath,
    /// The scene to its file.
    SaveScene,
    /// Ask for the file of a scene.
    OpenScene,
    /// Ask for characters.
    OpenCharacters,
    /// Ask for files, to be used so.
    AskForFiles(FileRequest),
    /// Open one of the files opened lately, by its place in their list.
    OpenRecent(usize),
    /// The command line that draws this picture to the clipboard.
    CopyCommand,
    /// The picture to a file.
    Screenshot,
    /// Begin a film, or end it.
    ToggleFilm,
    /// End the film without a file.
    CancelFilm,
    /// Keep where the camera is as a view of the scene.
    KeepView,
    /// Take the newest change of settings back.
    Undo,
    /// Make the change again that was taken back last.
    Redo,
    /// Show or hide all keys.
    ToggleKeys,
    /// Wait for the display or not.
    ToggleVsync,
    /// Statistics to the clipboard.
    CopyStats,
    /// Full screen or not.
    ToggleFullscreen,
    /// Lose the device.
    LoseDevice,
    /// Lose the window's surface.
    LoseSurface,
    /// Close the window.
    Quit,
}

impl Action {
    /// Whether a key that is held down does it again and again.
    #[must_use]
    pub(crate) const fn repeats(self) -> bool {
        matches!(self, Self::Step(_) | Self::Undo | Self::Redo)
    }
}

/// Pages of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    /// Cast, count, rendering and cost.
    #[default]
    Crowd,
    /// Two draw methods side by side.
    Compare,
    /// Contents of a character.
    Character,
    /// One person.
    Person,
}
