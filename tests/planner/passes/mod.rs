//! Passes: what each changes, what it must leave alone, and the stages that they make.

mod articles;
mod fusion;
mod in_place;
mod order;
mod order_arbitrary;
mod quantised;
mod stages;
mod whole;
