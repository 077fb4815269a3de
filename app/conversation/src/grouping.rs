//! What the tab shows that groups buffers by who allocated them.

use planner::Step;
use planner::query::Field;

/// Which buffers are grouped, and by what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// When they need their bytes.
    pub when: When,
    /// By what; `None` leaves it to what the file says.
    pub field: Option<Field>,
    /// Whether frames of what runs below Python are shown.
    pub runtime: bool,
}

/// When buffers need their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// At the step at which most is needed.
    #[default]
    Peak,
    /// At the step that is looked at, else at the peak.
    Looked,
    /// At the end, never given back.
    End,
    /// At the second step, and added since the first.
    Between(Step, Step),
}
