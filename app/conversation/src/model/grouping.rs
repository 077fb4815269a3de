//! What the tab shows that groups buffers by who allocated them.

use planner::query::Field;
use planner::{Step, Subject};

/// Which buffers are grouped, and by what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// When they need their bytes; `None` leaves it to what the file says.
    pub when: Option<When>,
    /// By what; `None` leaves it to what the file says.
    pub field: Option<Field>,
    /// Whether frames of what runs below Python are shown.
    pub runtime: bool,
}

impl Grouping {
    /// When they need their bytes: where nobody chose, at the step that is looked at of a file that
    /// opens where a request failed, else at the peak.
    #[must_use]
    pub fn when(&self, subject: &Subject) -> When {
        let usual = match subject.failed_at() {
            Some(_) => When::Looked,
            None => When::Peak,
        };
        self.when.unwrap_or(usual)
    }
}

/// When buffers need their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the step at which most is needed.
    Peak,
    /// At the step that is looked at, else at the peak.
    Looked,
    /// At the end, never given back.
    End,
    /// At the second step, and added since the first.
    Between(Step, Step),
}
