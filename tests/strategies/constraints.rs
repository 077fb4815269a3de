//! Gaps, hand-overs, fixed addresses, pools and bounds through every strategy.
