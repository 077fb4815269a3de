//! Which training step is planned, as text: `POLICY,BATCH` or `POLICY,BATCH,BUDGET`, as in
//! `dtr_eq,8,1073741824`.

use super::Policy;
use crate::settings::Training;
use crate::units::Bytes;

/// Reads a choice; `None` for what is none.
#[must_use]
pub fn parse(text: &str) -> Option<Training> {
    let mut parts = text.split(',');
    let policy = parts.next()?.parse().ok()?;
    let batch = parts.next()?.parse().ok().filter(|batch| *batch > 0)?;
    let budget = parts.next().map(str::parse).transpose().ok()?;
    let choice = of(policy, batch, budget.map(Bytes));
    Some(choice).filter(|_| parts.next().is_none())
}

/// Writes a choice.
#[must_use]
pub fn text(choice: Training) -> String {
    let budget = choice.budget.map(|budget| format!(",{}", budget.0));
    let (policy, batch) = (policy(choice).name(), choice.batch);
    format!("{policy},{batch}{}", budget.unwrap_or_default())
}

/// The choice of this policy.
#[must_use]
pub fn of(policy: Policy, batch: u64, budget: Option<Bytes>) -> Training {
    let row = Policy::ALL.iter().position(|it| *it == policy);
    Training {
        policy: row.and_then(|row| u8::try_from(row).ok()).unwrap_or(0),
        batch,
        budget,
    }
}

/// What makes the schedule; keeping everything where there is no such row.
#[must_use]
pub fn policy(choice: Training) -> Policy {
    let row = Policy::ALL.get(usize::from(choice.policy));
    row.copied().unwrap_or(Policy::KeepAll)
}
