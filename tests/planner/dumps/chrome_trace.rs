//! Chrome traces that hold offsets for times.
