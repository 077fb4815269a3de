//! Conversations with the worker, and the page without a browser.

mod conversation;
mod explained;
mod lessons;
mod page;
