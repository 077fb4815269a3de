//! The strategies, one by one: what each must give, from vectors, definitions and the judge.

mod affordable;
mod best;
mod best_exact;
mod coloring;
mod constraints;
mod exact;
mod exact_left_out;
mod exact_reports;
mod ggml;
mod gmlake;
mod trace;
mod heaps;
mod large;
mod litert;
mod online;
mod parallel;
mod stalloc;
mod unwaiting;
mod targets;
mod tlsf;
mod tokens;
mod what_if;
mod xla_dump;
