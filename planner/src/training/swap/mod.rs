//! Swapping: values that leave for the memory of the host over a link and come back, while nodes
//! compute.
//!
//! ```text
//! time      0     10    20 22    32    42          62
//! compute   f1    f2    f3 f4    f5    b5          b4 …
//! out                   a1 ─────┤                          copied once f2 has read it last
//! back                                             a1 ───┤ fetched when b4 starts
//! a1        ████████████████████▌                  ███████████ …
//! ```
//!
//! Time is counted in the unit of costs. Each direction of a [`Link`] copies one value at a time,
//! beside the node that runs. [`lanes`] makes times of what is done, [`mod@play`] does what a
//! [`Script`](script::Script) says under a budget and yields a walk with its times ([`run`]), and
//! [`mod@judge`] checks such times without the code of either.

pub mod energy;
pub mod judge;
pub mod lanes;
pub mod link;
pub mod play;
pub mod run;
pub mod script;
pub mod timetable;

pub use judge::{Mistimed, judge};
pub use lanes::earliest;
pub use link::{Lane, Link};
pub use play::{Played, play};
pub use run::{Direction, Ran, Run, Stall, Transfer};
