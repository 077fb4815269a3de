//! The order in which operators run.
