//! IREE's stream IR around its slice layout.
