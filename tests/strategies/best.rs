//! Skyline and Best: against bounds, known optima and published heights.
