//! Functions of the C library that ufbx calls and Rust does not bring: `compiler_builtins` has the others, such as
//! `memcpy`, `strlen` and `sin`.

use std::{
    cmp::Ordering,
    ffi::{CStr, c_char, c_int, c_void},
    ptr::null,
    slice::from_raw_parts,
};

fn sign(order: Ordering) -> c_int {
    order as c_int
}

/// First byte of this value.
#[unsafe(no_mangle)]
extern "C" fn memchr(start: *const c_void, value: c_int, size: usize) -> *const c_void {
    // C converts the value to a byte.
    let byte = value as u8;
    // SAFETY: the caller gives the size of a block.
    let bytes = unsafe { from_raw_parts(start.cast::<u8>(), size) };
    let found = bytes.iter().find(|one| **one == byte);
    found.map_or(null(), |one| (&raw const *one).cast())
}

/// Order of two texts.
#[unsafe(no_mangle)]
extern "C" fn strcmp(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: both end with zero.
    let (a, b) = unsafe { (CStr::from_ptr(a), CStr::from_ptr(b)) };
    sign(a.cmp(b))
}

/// Order of the first `size` bytes of two texts.
#[unsafe(no_mangle)]
extern "C" fn strncmp(a: *const c_char, b: *const c_char, size: usize) -> c_int {
    for at in 0..size {
        // SAFETY: neither has ended before this byte.
        let (one, other) = unsafe { (*a.add(at) as u8, *b.add(at) as u8) };
        if one != other || one == 0 {
            return sign(one.cmp(&other));
        }
    }
    0
}

/// True if this is not a number.
#[unsafe(no_mangle)]
extern "C" fn isnan(value: f64) -> c_int {
    value.is_nan().into()
}

/// Next number from `value` towards `to`.
#[unsafe(no_mangle)]
extern "C" fn nextafter(value: f64, to: f64) -> f64 {
    match value.partial_cmp(&to) {
        Some(Ordering::Less) => value.next_up(),
        Some(Ordering::Greater) => value.next_down(),
        Some(Ordering::Equal) => to,
        None => f64::NAN,
    }
}
