//! Runs the planner beside the page: Request in, Reply out.
