//! Draws a memory plan: lifetimes + plan → scene → pixels.
