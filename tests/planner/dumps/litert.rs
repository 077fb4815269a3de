//! Tensor addresses of a LiteRT interpreter.
