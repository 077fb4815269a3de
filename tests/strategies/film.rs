//! What strategies tell of their decisions, and the film made of it.
