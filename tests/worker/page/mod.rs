//! The page without a browser: what people do goes through the reducer, and a real worker
//! answers.

mod advisor;
mod advice;
mod arbitrary;
mod browser;
mod counted;
mod estimates;
mod film;
mod films;
mod hand;
mod learning;
mod looking;
mod packed;
mod price;
mod ranges;
mod side_by_side;
mod stages;
mod sweep;
mod tables;
mod text;
mod timed;
mod zeros;
mod training;
