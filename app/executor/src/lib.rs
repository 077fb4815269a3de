//! Runs a planned graph on a GPU in one arena at the planned offsets, and confirms its bytes.
//!
//! **graph + plan → recording → run → report.** [`lower`] turns a sized graph and a plan into
//! a [`Recording`](recording::Recording): uploads, dispatches, readbacks, all as data. Two
//! machines play it: [`engine`] on a GPU through wgpu (the only module that submits), and
//! [`reference`](mod@reference) on the CPU, where every WGSL kernel has a CPU reference in Rust of
//! the same name.
//! [`verify`] asks either machine the questions of a confirmation.

pub mod lower;
pub mod recording;
pub mod elements;
pub mod small_floats;
pub mod arena;
pub mod fixed_point;
pub mod kernels;
pub mod counting;
pub mod reference;
mod stored;
pub mod supply;
pub mod engine;
pub mod verify;
