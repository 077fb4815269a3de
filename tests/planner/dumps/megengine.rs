//! MegEngine's static memory.
