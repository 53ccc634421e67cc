//! Heap of meshopt's C++: its operators `new` and `delete`, which a browser has no library for.

use std::alloc::{Layout, alloc, dealloc};

/// Bytes before each block, which hold its size; also the alignment.
const HEAD: usize = 16;

/// Layout of a block of `size` bytes with its head.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEAD)?, HEAD).ok()
}

/// `operator new(size_t)`: aborts if there is no memory, since C++ without exceptions expects a block.
#[unsafe(export_name = "_Znwm")]
extern "C" fn new(size: usize) -> *mut u8 {
    let Some(layout) = layout(size) else {
        std::process::abort()
    };
    // SAFETY: the layout is never empty, and the block has room for its head.
    unsafe {
        let block = alloc(layout);
        if block.is_null() {
            std::process::abort();
        }
        block.cast::<usize>().write(size);
        block.add(HEAD)
    }
}

/// `operator delete(void*)`.
#[unsafe(export_name = "_ZdlPv")]
extern "C" fn delete(start: *mut u8) {
    if start.is_null() {
        return;
    }
    // SAFETY: `start` comes from `new`, whose head holds the size that the layout was made of.
    unsafe {
        let block = start.sub(HEAD);
        if let Some(layout) = layout(block.cast::<usize>().read()) {
            dealloc(block, layout);
        }
    }
}
