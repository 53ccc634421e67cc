//! The source tree itself. Links nothing of the library.

mod tidy;
