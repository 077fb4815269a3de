//! Why a policy has no schedule, in a sentence.

use planner::message;
use planner::training::policies::NoWalk;
use planner::training::table::Row;

use super::amount::in_bytes;

pub(super) fn sentence(row: &Row, why: &NoWalk) -> String {
    let at = row.at.as_deref().unwrap_or_default();
    match why {
        NoWalk::BelowMinimum { bytes, .. } => format!("{at} alone needs {}", in_bytes(bytes.0)),
        NoWalk::Impossible => "no schedule fits".to_owned(),
        NoWalk::SmallestNeeds(bytes) => {
            format!("its smallest schedule needs {}", in_bytes(bytes.0))
        }
        NoWalk::OutOfMemory(_) => format!("out of memory at {at}"),
        NoWalk::Thrashed => "more than as much again would be computed".to_owned(),
        NoWalk::MoreNodesThan(most) => {
            format!(
                "it is for steps of at most {}",
                message!("node" | "nodes", *most)
            )
        }
        NoWalk::NotSearched => "no schedule was found before the search was ended".to_owned(),
        NoWalk::Stopped => "stopped".to_owned(),
        NoWalk::NotAChain => "the forward pass is no chain of segments".to_owned(),
        NoWalk::NotForLogs => "a log is for those that evict".to_owned(),
        NoWalk::NoJointGraph => "it cuts what torch.compile traces".to_owned(),
        NoWalk::NoCut => "the joint graph cannot be cut".to_owned(),
        NoWalk::NoLink => "there is no link to swap over".to_owned(),
        NoWalk::NoEnergy => "nothing is known of the energy that it takes".to_owned(),
    }
}

/// Why a policy has no schedule, and what to choose instead.
pub(super) fn advised(row: &Row, why: &NoWalk) -> String {
    let choose = match why {
        NoWalk::BelowMinimum { .. } => " (choose a budget of at least that)",
        NoWalk::SmallestNeeds(_) => " (choose a budget of at least that, or another policy)",
        NoWalk::OutOfMemory(_) | NoWalk::Impossible | NoWalk::Thrashed | NoWalk::NotSearched => {
            " (choose a larger budget, or another policy)"
        }
        NoWalk::NoJointGraph => " (choose the rule compile)",
        NoWalk::MoreNodesThan(_)
        | NoWalk::NotAChain
        | NoWalk::NotForLogs
        | NoWalk::NoCut
        | NoWalk::NoEnergy => " (choose another policy)",
        NoWalk::NoLink => " (choose a device by name, or another policy)",
        NoWalk::Stopped => "",
    };
    format!("{}: {}{choose}", row.policy.name(), sentence(row, why))
}
