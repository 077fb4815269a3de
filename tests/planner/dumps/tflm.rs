//! Logs of TFLite Micro's planner.
