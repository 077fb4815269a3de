//! Conversations with the worker.

mod conversation;
mod explained;
