//! Which training step is planned, as text: `POLICY,BATCH`, `POLICY,BATCH,BUDGET` or
//! `POLICY,BATCH,BUDGET,RECIPE`, as in `dtr_eq,8,1073741824,autograd+adam`. Without a number for
//! the budget there is none. The policy may be followed by `@` and the memory budget of
//! torch.compile's partitioner in hundredths, as in `min_cut@35,1`.

use super::{Policy, Recipe};
use crate::settings::Training;
use crate::units::Bytes;

/// Reads a choice; `None` for what is none.
#[must_use]
pub fn parse(text: &str) -> Option<Training> {
    let mut parts = text.split(',');
    let (policy, share) = match parts.next()?.split_once('@') {
        Some((policy, share)) => (policy, Some(share.parse().ok().filter(|it| *it <= 100)?)),
        None => (text.split(',').next()?, None),
    };
    let policy = policy.parse().ok()?;
    if share.is_some() && policy != Policy::MinCut {
        return None;
    }
    let batch = parts.next()?.parse().ok().filter(|batch| *batch > 0)?;
    let (budget, recipe) = (parts.next(), parts.next());
    let budget = match budget {
        Some("") if recipe.is_some() => None,
        text => text.map(str::parse).transpose().ok()?,
    };
    let recipe = recipe.map_or(Some(Recipe::default()), Recipe::parse)?;
    let choice = Training {
        share,
        ..of(policy, batch, budget.map(Bytes), recipe)
    };
    Some(choice).filter(|_| parts.next().is_none())
}

/// Writes a choice.
#[must_use]
pub fn text(choice: Training) -> String {
    let name = policy(choice).name();
    let name = match choice.share {
        Some(share) => format!("{name}@{share}"),
        None => name.to_owned(),
    };
    let mut parts = vec![name, choice.batch.to_string()];
    let recipe = choice.recipe.text();
    let budget = choice.budget.map(|budget| budget.0.to_string());
    if budget.is_some() || !recipe.is_empty() {
        parts.push(budget.unwrap_or_default());
    }
    parts.extend((!recipe.is_empty()).then_some(recipe));
    parts.join(",")
}

/// The choice of this policy.
#[must_use]
pub fn of(policy: Policy, batch: u64, budget: Option<Bytes>, recipe: Recipe) -> Training {
    let row = Policy::ALL.iter().position(|it| *it == policy);
    Training {
        policy: row.and_then(|row| u8::try_from(row).ok()).unwrap_or(0),
        batch,
        budget,
        recipe,
        share: None,
    }
}

/// What makes the schedule; keeping everything where there is no such row.
#[must_use]
pub fn policy(choice: Training) -> Policy {
    let row = Policy::ALL.get(usize::from(choice.policy));
    row.copied().unwrap_or(Policy::KeepAll)
}
