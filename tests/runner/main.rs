//! The runner: its conversation with the page, and what its inputs are made of.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod arrays;
mod conversation;
mod pictures;
mod profile;
mod values;
