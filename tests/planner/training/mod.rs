//! Training steps: policies against the published and measured figures.

mod addresses;
mod advisor;
pub(crate) mod autograd;
mod chains;
mod compiled;
mod checkmate;
mod decisions;
mod devices;
mod dtr;
mod estimate;
mod gist;
mod kept;
mod layers;
mod min_cut;
mod modules;
mod properties;
mod proved;
mod rms_norm;
mod relaxed;
mod sample_log;
mod searched;
mod sharding;
mod swap;
mod switches;
mod torch;
