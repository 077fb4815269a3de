//! MXNet's storage tokens.
