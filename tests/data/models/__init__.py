"""Whole models with seeded random weights, one file per family."""
