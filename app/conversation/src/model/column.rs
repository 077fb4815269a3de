//! A column of the comparison: one strategy, or the plan that came with the file.

use std::fmt;
use std::str::FromStr;

use planner::Strategy;

/// What a plan in the comparison comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// The plan in the file.
    Deployed,
    /// Our own plan.
    Strategy(Strategy),
}

impl Column {
    /// Every column that a document has.
    pub fn all(deployed: bool) -> Vec<Self> {
        let own = Strategy::ALL.into_iter().map(Self::Strategy);
        deployed
            .then_some(Self::Deployed)
            .into_iter()
            .chain(own)
            .collect()
    }

    /// The name in code, files, the command line and the address bar.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deployed => "deployed",
            Self::Strategy(strategy) => strategy.name(),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Column {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        if name == "deployed" {
            return Ok(Self::Deployed);
        }
        let mut all = Strategy::ALL.into_iter();
        all.find(|strategy| strategy.name() == name)
            .map(Self::Strategy)
            .ok_or(())
    }
}
