//! What a confirmation asks of a machine, and what it finds: *promised*, *allocated* and
//! *touched* bytes side by side, whether outputs keep their bits, and who overwrote whom.

pub mod report;
