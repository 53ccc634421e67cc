//! The source tree itself. Links nothing of the library.

mod labels;
mod tidy;
mod twins;
