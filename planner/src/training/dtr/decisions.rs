//! Why a run evicted what it did: at each eviction the pool of candidates with their prices, all
//! that counted in them, and which one was chosen.

use serde::{Deserialize, Serialize};

use super::evictor::Evictor;
use super::heuristic::{Heuristic, Score};
use super::log::Log;
use super::runtime::{Act, Eviction, Limits, run};
use crate::units::Bytes;

/// The most decisions that are kept.
pub const MAX_DECISIONS: usize = 1 << 14;
/// The most candidates, with the evicted storages around them, that are kept of all decisions
/// together.
pub const MAX_LISTED: usize = 1 << 17;

/// The decisions of a run, from its first on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// The seed that chance follows from, where there is any.
    pub seed: Option<u64>,
    /// The decisions, in order.
    pub list: Vec<Decision>,
    /// How many later ones are beyond [`MAX_DECISIONS`] or [`MAX_LISTED`].
    pub left_out: u64,
}

/// One eviction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Which act of the run it is, by index: of a training step, which move of its walk.
    pub act: usize,
    /// How many calls have run before, those that ran again included.
    pub ran: u64,
    /// The call that wants room, by index.
    pub call: usize,
    /// Its name.
    pub name: String,
    /// The bytes that it makes.
    pub wants: Bytes,
    /// The bytes that are in memory.
    pub live: Bytes,
    /// What was looked at, in this order.
    pub pool: Vec<Candidate>,
    /// How many could be evicted that were not looked at.
    pub skipped: usize,
    /// The one that was evicted, by index into the pool.
    pub chosen: usize,
    /// Why that one.
    pub why: Why,
}

/// A storage that could be evicted and all that counted in its price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The storage, by index.
    pub storage: usize,
    /// The tensor that it is made with.
    pub name: String,
    /// What it takes.
    pub bytes: Bytes,
    /// What computing it costs.
    pub cost: u64,
    /// What has been computed since it was read last, by its cost.
    pub stale: u64,
    /// Its price; `None` where it has no bound.
    pub score: Option<f64>,
    /// The evicted storages that it would have to be computed from, where they count.
    pub ancestors: Vec<usize>,
    /// The evicted storages that would have to be computed with it, where they count.
    pub descendants: Vec<usize>,
    /// The evicted storages of the sets next to it, where sets count.
    pub connected: Vec<usize>,
}

/// Why one of the pool was evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It alone has the least price.
    Least,
    /// It is the last of so many with the least price.
    LastOf(usize),
    /// It is the lowest of so many with the least price.
    FirstOf(usize),
    /// It lies in the cheapest window that is large enough, which is the pool.
    Window,
    /// It costs nothing, so that no other was looked at.
    Free,
    /// By chance.
    Chance,
}

/// Plays `log` and keeps its decisions. A training step is a log by `Log::from`.
#[must_use]
pub fn decisions(log: &Log, evictor: impl Into<Evictor>, limits: Limits) -> Decisions {
    let evictor = evictor.into();
    let by_chance = limits.sample || evictor == Evictor::Bytes(Heuristic::Random);
    let mut decisions = Decisions {
        seed: by_chance.then_some(limits.seed),
        ..Decisions::default()
    };
    let (mut listed, mut seen, mut ran) = (0, 0, 0);
    let mut observer = |eviction: &Eviction<'_>| {
        let since = eviction.acts.iter().skip(seen);
        ran += since
            .filter(|act| matches!(act, Act::Compute { .. }))
            .count() as u64;
        seen = eviction.acts.len();
        if decisions.left_out > 0 || decisions.list.len() == MAX_DECISIONS {
            decisions.left_out += 1;
            return true;
        }
        let mut pool = Vec::new();
        for index in 0..eviction.pool.len() {
            let Some(it) = eviction.candidate(index) else {
                break;
            };
            let around = [&it.ancestors, &it.descendants, &it.connected];
            listed += 1 + around.iter().map(|it| it.len()).sum::<usize>();
            if listed > MAX_LISTED {
                decisions.left_out = 1;
                return true;
            }
            pool.push(it);
        }
        decisions.list.push(Decision {
            act: eviction.acts.len(),
            ran,
            call: eviction.call,
            name: log.calls[eviction.call].name.clone(),
            wants: eviction.wants,
            live: eviction.live,
            pool,
            skipped: eviction.skipped,
            chosen: eviction.chosen,
            why: why(evictor, eviction),
        });
        true
    };
    run(log, evictor, limits, Some(&mut observer));
    decisions
}

fn why(evictor: Evictor, eviction: &Eviction<'_>) -> Why {
    let least: Score = eviction.pool[eviction.chosen].score;
    let equal = |it: &Score| it.order(least).is_eq();
    let scores = eviction.pool.iter().map(|it| it.score);
    match scores.filter(equal).count() {
        _ if evictor == Evictor::Bytes(Heuristic::Random) => Why::Chance,
        _ if evictor == Evictor::Coop => Why::Window,
        equal if evictor.knows_addresses() && equal > 1 => Why::FirstOf(equal),
        _ if least.is_zero() && !evictor.knows_addresses() => Why::Free,
        0 | 1 => Why::Least,
        equal => Why::LastOf(equal),
    }
}
