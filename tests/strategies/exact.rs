//! The exact search: optima, proofs, and what each rule is worth.
