//! Plans where every tensor of a neural network lives in memory:
//! bytes → graph → lifetimes → plan → verdict.
//!
//! Each arrow is one pure function: [`load::load`] reads a file into a [`load::Document`],
//! [`graph::infer()`] sizes its tensors, [`passes`] fold what is constant, [`lifetimes`] says
//! when each tensor is needed, [`plan()`] places it, and [`check()`] judges the plan
//! without sharing code with what made it. No file, clock, thread, hash order, browser or
//! GPU is known here: the same input gives the same bytes natively and in WebAssembly.
//!
//! The nouns and the calls that all need stand here; what belongs to one concern has a
//! module of its own.

#![cfg_attr(not(feature = "files"), no_std)]
#![cfg_attr(
    not(feature = "files"),
    allow(dead_code, reason = "some items are for files alone")
)]
// With the feature every item is reachable, and the lint says what is not.
#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "some items are public for tests alone")
)]

extern crate alloc;

// In reading order.
pub mod message;
mod units;
mod ids;
#[cfg(feature = "files")]
mod number;
mod sorting;
mod random;
#[cfg(feature = "files")]
mod settings;
mod caching_allocator;
#[cfg(feature = "files")]
pub mod operators;
#[cfg(feature = "files")]
pub mod graph;
#[cfg(feature = "files")]
pub mod storage;
#[cfg(feature = "files")]
pub mod schedule;
#[cfg(feature = "files")]
mod program;
#[cfg(feature = "files")]
pub mod counts;
#[cfg(feature = "files")]
pub mod generate;
#[cfg(feature = "files")]
pub mod kv_cache;
#[cfg(feature = "files")]
pub mod load;
#[cfg(feature = "files")]
pub mod passes;
mod liveness;
mod plan;
mod free_space;
#[cfg(feature = "files")]
pub mod deployed;
#[cfg(feature = "files")]
pub mod attribution;
#[cfg(feature = "files")]
pub mod overview;
#[cfg(feature = "files")]
pub mod basis;
#[cfg(feature = "files")]
mod replay;
#[cfg(feature = "files")]
pub mod advice;
#[cfg(feature = "files")]
pub mod space;
#[cfg(feature = "files")]
pub mod waste;
#[cfg(feature = "files")]
pub mod difference;
#[cfg(feature = "files")]
pub mod query;
#[cfg(feature = "files")]
pub mod grouping;
mod strategies;
#[cfg(feature = "files")]
pub mod what_if;
mod check;
pub mod bounds;
pub mod metrics;
pub mod picture;
#[cfg(feature = "files")]
mod pipeline;
#[cfg(feature = "files")]
pub mod stages;
#[cfg(feature = "files")]
pub mod training;
#[cfg(feature = "files")]
pub mod sweep;
#[cfg(feature = "files")]
pub mod save;
#[cfg(feature = "files")]
pub mod tflm_offline_plan;
#[cfg(feature = "files")]
pub mod tail;

pub use caching_allocator::{AllocatorSettings, ConfFault};
pub use check::{LISTED as VIOLATIONS_LISTED, Violation, check};
pub use liveness::profile::{Profile, profile};
pub use liveness::{
    Buffer, BufferView, Clash, FixedBlock, Handover, LIMIT as LIFETIMES_LIMIT, Lifetimes, Pause,
    TooLarge, clash, fixed_unaligned,
};
#[cfg(feature = "files")]
pub use liveness::{Residencies, TFLM_ALIGNMENT, lifetimes};
pub use message::{AsArgument, Message, counted, holes};
#[cfg(feature = "files")]
pub use number::size;
#[cfg(feature = "files")]
pub use pipeline::{
    Judged, Pipeline, Split, Subject, Unused, judge, judged, prepare, prepare_given, prepare_owned,
    prepare_watched, usual,
};
pub use plan::{
    Effort, Mapped, Objects, Options, Origin, Plan, Pool, Pools, Segment, Segments, Stated,
    Unsearched,
};
#[cfg(feature = "files")]
pub use program::{InPlaceAlias, Program};
#[cfg(feature = "files")]
pub use settings::{
    Io, Optimizer, Parallel, PassSet, Precision, Recipe, Rule, Settings, Sharding, Training,
};
pub use sorting::{Sorting, inserted};
#[cfg(feature = "files")]
pub use stages::{Stage, StageFigures, stage_figures, stages};
pub use strategies::{
    AboveNaive, Capabilities, Capability, Constraint, Description, Family, Growth, Model, Observer,
    PlanError, Planners, Silent, Strategy, UnknownStrategy, offsets_by_size, plan,
};
pub use units::{Bytes, Offset, Span, Step, narrow};

/// What a strategy reports while it plans, and the trace that is made of it.
pub mod trace {
    pub use super::strategies::trace::survey::{
        FreeRange, Shared, Sharing, Stack, Survey, free_ranges, is_unused, shared, stack, survey,
        unused_below,
    };
    pub use super::strategies::trace::{
        BufferPlace, Frame, Layout, Outcome, Picture, Range, Reason, Recorder, Trace,
    };
    pub use super::strategies::{
        Choice, Ended, Event, Fit, Key, Match, Note, Pooling, Refusal, Rule, Search, SearchStage,
        Sent, Stop, Taken, Trial,
    };
}

/// What only tests and benchmarks look at: the exact search as a call of its own with a
/// switch for each of its rules.
#[cfg(feature = "internals")]
pub mod internals {
    pub use super::caching_allocator::probe;
    pub use super::liveness::profile::live_at;
    pub use super::strategies::exact;
    pub use super::strategies::trace::{Limits, REASONS};
}

/// The example of the README is run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
