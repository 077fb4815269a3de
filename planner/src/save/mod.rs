//! One writer per format, twin of `load`.
