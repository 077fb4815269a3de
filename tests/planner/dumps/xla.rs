//! XLA's buffer assignments.
