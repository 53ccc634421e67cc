//! One carried prop: 32 bytes, uploaded once where other crowds have an [`Instance`](crate::crowd::Instance), and
//! placed by the GPU at its owner's socket.
//!
//! ```text
//! word 0     size f32, factor over the owner's
//! word 4     tint indices u6 each, as in Instance
//! word 5     socket: its index in the owner's skeleton
//! word 6     owner: index among the instances of its character
//! ```

use bytemuck::{Pod, Zeroable};

/// GPU record; bit layout in the module's documentation. It has no position: that follows from its owner. Mirrored by
/// `Attachment` in shaders/attachments.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Attachment {
    /// Factor over the owner's size.
    pub size: f32,
    /// Unused.
    pub pad_a: u32,
    /// Unused.
    pub pad_b: u32,
    /// Unused.
    pub pad_c: u32,
    /// Four indices into the scene's tint ramps.
    pub tint: u32,
    /// Index of the socket in the owner's skeleton.
    pub socket: u32,
    /// Index of the owner among the instances of its character.
    pub owner: u32,
    /// Unused.
    pub pad_d: u32,
}

impl Attachment {
    /// Attachment of instance `owner` at a socket; on an owner of size 1 it is as large as modelled.
    #[must_use]
    pub fn new(owner: u32, socket: u16, tint: u32) -> Self {
        Self {
            size: 1.0,
            tint,
            socket: u32::from(socket),
            owner,
            ..Self::default()
        }
    }

    /// Sets the size as a factor over the owner's.
    #[must_use]
    pub fn with_size(self, size: f32) -> Self {
        Self { size, ..self }
    }
}
