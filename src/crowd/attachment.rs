//! One carried prop: 32 bytes, uploaded once where other crowds have an [`Instance`](crate::crowd::Instance), and
//! placed by the GPU at its owner's socket.
//!
//! ```text
//! word 0     size f32, factor over the owner's
//! word 4     tint indices u6 each, as in Instance
//! word 5     socket: its index in the owner's skeleton
//! word 6     owner: index among the instances of its character
//! ```

shader_struct!(Attachment);

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
