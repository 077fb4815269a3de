//! Whether the times of a walk are possible: lanes do one thing at a time, nothing is read before
//! it has arrived, nothing leaves before it is copied and read, and all adds up. Shares no code
//! with what makes times.

use super::link::Lane;
use super::run::{Direction, Run, Stall};
use crate::training::judge::Fault;
use crate::training::{Link, Move, Problem, Walk};
use crate::units::Bytes;

/// What is wrong with the times of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistimed {
    /// The walk itself.
    Walk(Fault),
    /// What is listed is not what the walk does, from this move on.
    NotTheWalk {
        /// The move.
        at: usize,
    },
    /// A node, or the copy of a value, takes another time than this one.
    Takes {
        /// The node.
        node: usize,
        /// The time that it should take.
        time: u64,
    },
    /// Two nodes, or two copies in one direction, at the same time.
    Overlap {
        /// The second one.
        node: usize,
    },
    /// A node starts before a value that it reads has arrived, or a value is copied or given back
    /// before that is possible.
    TooEarly {
        /// The node that starts, or whose value it is.
        node: usize,
        /// Not before that.
        until: u64,
    },
    /// More bytes at one time than the walk has at any place, or than the budget allows.
    OverBudget {
        /// When.
        time: u64,
        /// The bytes that are there.
        live: u64,
    },
    /// Waits, the peak or the end are not what the list comes to.
    Sum,
}

/// Judges the times of `walk`, under a budget for the values if there is one.
///
/// # Errors
/// The first thing that is wrong.
pub fn judge(
    problem: &Problem,
    walk: &Walk,
    run: &Run,
    budget: Option<Bytes>,
) -> Result<(), Mistimed> {
    crate::training::judge::judge(problem, walk, budget).map_err(Mistimed::Walk)?;
    listed(walk, run)?;
    computes(problem, run)?;
    copies(problem, run)?;
    let stays = stays(problem, walk, run)?;
    for transfer in run
        .transfers
        .iter()
        .filter(|it| it.direction == Direction::Out)
    {
        let node = transfer.node;
        let own = stays.iter().filter(|it| it.node == node);
        let within = |it: &&Stay| it.ready <= transfer.start && transfer.end <= it.end;
        if own.clone().all(|it| !within(&it)) {
            let until = own.map(|it| it.ready).min().unwrap_or(u64::MAX);
            return Err(Mistimed::TooEarly { node, until });
        }
    }
    bytes(problem, &stays, run, budget)
}

/// The moves are those of the walk.
fn listed(walk: &Walk, run: &Run) -> Result<(), Mistimed> {
    let nodes = walk.iter().enumerate();
    let computes = nodes.filter(|(_, it)| matches!(it, Move::Compute(_)));
    let mut ran = run.ran.iter();
    for (at, step) in computes {
        let same = ran
            .next()
            .is_some_and(|it| it.at == at && it.node == step.node());
        if !same {
            return Err(Mistimed::NotTheWalk { at });
        }
    }
    let brought = walk.iter().filter(|it| matches!(it, Move::SwapIn(_)));
    let back = run
        .transfers
        .iter()
        .filter(|it| it.direction == Direction::Back);
    let all = ran.next().is_none() && run.times.len() == walk.len();
    match all && brought.map(|it| it.node()).eq(back.map(|it| it.node)) {
        true => Ok(()),
        false => Err(Mistimed::NotTheWalk { at: walk.len() }),
    }
}

/// Nodes run one after another, and waits fill what is between.
fn computes(problem: &Problem, run: &Run) -> Result<(), Mistimed> {
    let mut before = 0;
    let mut all = Stall::default();
    for ran in &run.ran {
        let (node, time) = (ran.node, problem.nodes[ran.node].cost);
        if ran.end.checked_sub(ran.start) != Some(time) {
            return Err(Mistimed::Takes { node, time });
        }
        let Some(waited) = ran.start.checked_sub(before) else {
            return Err(Mistimed::Overlap { node });
        };
        let Stall {
            layer,
            arrival,
            room,
        } = ran.stall;
        if layer
            .checked_add(arrival)
            .and_then(|it| it.checked_add(room))
            != Some(waited)
            || run.times[ran.at] != ran.start
        {
            return Err(Mistimed::Sum);
        }
        all.layer += layer;
        all.arrival += arrival;
        all.room += room;
        before = ran.end;
    }
    match run.time == before && run.stall == all {
        true => Ok(()),
        false => Err(Mistimed::Sum),
    }
}

/// Copies take their time, one after another in each direction.
fn copies(problem: &Problem, run: &Run) -> Result<(), Mistimed> {
    let link = problem.link.unwrap_or(Link::NONE);
    for direction in [Direction::Out, Direction::Back] {
        let lane: Lane = match direction {
            Direction::Out => link.out,
            Direction::Back => link.back,
        };
        let mut free = 0;
        for transfer in run.transfers.iter().filter(|it| it.direction == direction) {
            let node = transfer.node;
            let bytes = u128::from(problem.nodes[node].bytes.0);
            let most = u128::from(u64::MAX);
            // Rounded up: the least time in which the lane moves at least so much.
            let time = match lane.bytes {
                0 => most,
                each => {
                    let product = bytes * u128::from(lane.cost);
                    let whole = product / u128::from(each);
                    let more = u128::from(whole * u128::from(each) < product);
                    whole + more + u128::from(lane.latency)
                }
            };
            let took = transfer.end.checked_sub(transfer.start).map(u128::from);
            if took != Some(time) {
                let time = u64::try_from(time).unwrap_or(u64::MAX);
                return Err(Mistimed::Takes { node, time });
            }
            if transfer.start < free {
                return Err(Mistimed::Overlap { node });
            }
            free = transfer.end;
        }
    }
    Ok(())
}

/// A value in memory: from when its bytes are taken, when it can be read, until they are given
/// back.
#[derive(Clone, Copy, Debug)]
struct Stay {
    node: usize,
    start: u64,
    ready: u64,
    read: u64,
    end: u64,
}

/// The stays of a walk, each long enough for what is done with it.
fn stays(problem: &Problem, walk: &Walk, run: &Run) -> Result<Vec<Stay>, Mistimed> {
    let mut stays: Vec<Stay> = Vec::new();
    let mut open: Vec<Option<Stay>> = vec![None; problem.nodes.len()];
    let mut ran = run.ran.iter();
    let back = |it: &&super::Transfer| it.direction == Direction::Back;
    let mut back = run.transfers.iter().filter(back);
    for (at, step) in walk.iter().enumerate() {
        let (node, time) = (step.node(), run.times[at]);
        let early = |until: u64| Mistimed::TooEarly { node, until };
        match step {
            Move::Compute(_) => {
                let end = ran.next().map_or(u64::MAX, |it| it.end);
                for &read in &problem.nodes[node].reads {
                    let Some(stay) = &mut open[read] else {
                        return Err(Mistimed::NotTheWalk { at });
                    };
                    if stay.ready > time {
                        return Err(early(stay.ready));
                    }
                    stay.read = stay.read.max(end);
                }
                let own = open[node].get_or_insert(Stay {
                    node,
                    start: time,
                    ready: end,
                    read: end,
                    end: u64::MAX,
                });
                own.read = own.read.max(end);
                own.ready = own.ready.max(end);
            }
            Move::SwapIn(_) => {
                let copy = back.next().ok_or(Mistimed::NotTheWalk { at })?;
                if copy.start != time {
                    return Err(Mistimed::NotTheWalk { at });
                }
                // It was given back before.
                let before = stays.iter().rev().find(|it| it.node == node);
                let until = before.map_or(u64::MAX, |it| it.end);
                if time < until {
                    return Err(early(until));
                }
                open[node] = Some(Stay {
                    node,
                    start: time,
                    ready: copy.end,
                    read: copy.end,
                    end: u64::MAX,
                });
            }
            Move::Forget(_) | Move::SwapOut(_) => {
                let Some(mut stay) = open[node].take() else {
                    return Err(Mistimed::NotTheWalk { at });
                };
                let mut until = stay.ready.max(stay.read);
                if matches!(step, Move::SwapOut(_)) {
                    let out = run.transfers.iter();
                    let out = out.filter(|it| it.direction == Direction::Out && it.node == node);
                    let copied = out.map(|it| it.end).min();
                    until = until.max(copied.unwrap_or(u64::MAX));
                }
                if time < until {
                    return Err(early(until));
                }
                stay.end = time;
                stays.push(stay);
            }
        }
    }
    stays.extend(open.into_iter().flatten());
    Ok(stays)
}

/// What is there at any time fits.
fn bytes(
    problem: &Problem,
    stays: &[Stay],
    run: &Run,
    budget: Option<Bytes>,
) -> Result<(), Mistimed> {
    let mut changes: Vec<(u64, i128)> = Vec::new();
    for stay in stays {
        let bytes = i128::from(problem.nodes[stay.node].bytes.0);
        // What is given back at one time makes room for what is taken at the same.
        changes.push((stay.start, bytes));
        changes.push((stay.end, -bytes));
    }
    changes.sort_unstable();
    let most = budget.map_or(u64::MAX, |budget| budget.0).min(run.peak.0);
    let mut live = 0;
    for (time, change) in changes {
        live += change;
        if live > i128::from(most) {
            let live = u64::try_from(live).unwrap_or(u64::MAX);
            return Err(Mistimed::OverBudget { time, live });
        }
    }
    Ok(())
}
