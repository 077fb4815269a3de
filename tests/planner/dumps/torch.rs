//! PyTorch memory snapshots.
