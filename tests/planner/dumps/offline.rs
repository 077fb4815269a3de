//! TFLite files that bring offsets, and those that we write.
