//! Spans widened for operators that run at the same time.
