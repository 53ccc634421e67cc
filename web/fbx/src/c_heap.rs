//! Heap of the C library ufbx, in Rust's: it knows the size of every block that it gives back.

use std::{
    alloc::{Layout, alloc, dealloc, realloc},
    ptr::null_mut,
};

/// Alignment that C expects of `malloc` (bytes).
const ALIGNMENT: usize = 16;

/// Layout of a block; Rust's heap has no empty ones.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGNMENT).ok()
}

/// `malloc`: null if there is no memory, which ufbx reports as an error of the file.
#[unsafe(export_name = "ufbx_malloc")]
extern "C" fn allocate(size: usize) -> *mut u8 {
    // SAFETY: the layout is never empty.
    layout(size).map_or(null_mut(), |layout| unsafe { alloc(layout) })
}

/// `realloc` with the size before.
#[unsafe(export_name = "ufbx_realloc")]
extern "C" fn resize(start: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
    if start.is_null() {
        return allocate(new_size);
    }
    let (Some(old), Some(new)) = (layout(old_size), layout(new_size)) else {
        return null_mut();
    };
    // SAFETY: ufbx gives the size with which it got the block, and the new one is never empty.
    unsafe { realloc(start, old, new.size()) }
}

/// `free` with the size.
#[unsafe(export_name = "ufbx_free")]
extern "C" fn release(start: *mut u8, size: usize) {
    if start.is_null() {
        return;
    }
    if let Some(layout) = layout(size) {
        // SAFETY: ufbx gives the size with which it got the block.
        unsafe { dealloc(start, layout) }
    }
}
