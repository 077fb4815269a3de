//! Logs of Vela's allocation.
