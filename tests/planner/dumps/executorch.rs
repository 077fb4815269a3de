//! ExecuTorch programs.
