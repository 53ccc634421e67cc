//! Settings of glibc's allocator for binaries that open hundreds of CPU devices, one after the other.
//!
//! By default, glibc keeps the large buffers of a device that was freed: of 150 tests that draw, 15 GB stayed. With one
//! arena, and with large buffers mapped each on its own, a third stays, and tests take as long as before.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
ctor::declarative::ctor! {
    #[ctor(unsafe)]
    fn freed_buffers_go_back_to_the_system() {
        // SAFETY: both calls only set parameters of the allocator, and no other thread runs yet.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10);
        }
    }
}
