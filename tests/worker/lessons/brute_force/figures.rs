//! What a figure is, by this folder's own arithmetic.

use std::collections::BTreeMap;

use lesson::{Choice, Instance, Lesson, Measure, Problem as Given, Relation, Scene, Value};

use super::copies::Copies;
use super::plans::{Plan, plan};
use super::problem::{Buffer, Problem};

/// The problem of a scene, and those that its figures speak of, by the setup's name.
pub(crate) struct World {
    pub(crate) own: Problem,
    setups: BTreeMap<String, Problem>,
}

/// A problem as these checks see it; `None` for a sample.
pub(crate) fn seen(given: &Given, pose: &Instance) -> Option<Problem> {
    match (given, given.file()) {
        (Given::Graph(lines), _) => {
            let mut found = Problem::of_graph(pose)?;
            found.copies = Copies::of(lines, pose);
            Some(found)
        }
        (_, Some((text, _))) => {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            Problem::of_csv(&lines, pose)
        }
        (_, None) => None,
    }
}

/// Figures of lessons fit into 32 bits, of which every number has its own among floats.
pub(crate) fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).expect("figures of lessons are small"))
}

pub(crate) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(1.0)
}

/// Whether a measure is of lifetimes and sizes alone, which these checks have to follow.
pub(crate) fn is_arithmetic(measure: &Measure) -> bool {
    match measure {
        Measure::On(_, inner) | Measure::FullSteps(inner) => is_arithmetic(inner),
        Measure::Plus(all) | Measure::Least(all) | Measure::Most(all) => {
            all.iter().all(is_arithmetic)
        }
        Measure::Less(pair) | Measure::Times(pair) | Measure::Over(pair) => {
            is_arithmetic(&pair.0) && is_arithmetic(&pair.1)
        }
        Measure::Given(_)
        | Measure::Proved
        | Measure::Bound
        | Measure::ObjectBound
        | Measure::Live(_)
        | Measure::Total
        | Measure::Size(_)
        | Measure::Largest
        | Measure::First(_)
        | Measure::Last(_)
        | Measure::Buffers
        | Measure::Steps
        | Measure::FirstAfter(_)
        | Measure::Meets(_)
        | Measure::BestRelief
        | Measure::LivesLongerThan(_) => true,
        _ => false,
    }
}

impl World {
    /// `None` where the scene is about a sample.
    pub(crate) fn of(lesson: &Lesson, scene: &Scene) -> Option<Self> {
        let asked = conversation::asked(lesson, scene);
        let setups = asked.setups.iter().filter_map(|(name, pose)| {
            let given = lesson.problems.get(&lesson.setups.get(name)?.problem)?;
            Some((name.clone(), seen(given, pose)?))
        });
        Some(Self {
            own: seen(lesson.problems.get(&scene.problem)?, &asked.own)?,
            setups: setups.collect(),
        })
    }

    /// A problem of which no figure speaks of another.
    pub(crate) fn alone(own: Problem) -> Self {
        let setups = BTreeMap::new();
        Self { own, setups }
    }

    /// What a measure comes to in the scene; `None` where these checks cannot follow it.
    pub(crate) fn value(&self, measure: &Measure) -> Option<Value> {
        self.value_on(&self.own, measure)
    }

    pub(crate) fn number(&self, measure: &Measure) -> Option<f64> {
        self.number_on(&self.own, measure)
    }

    pub(crate) fn least(&self) -> Option<f64> {
        self.own.least().map(float)
    }

    /// Whether a choice's claims hold; one that does not is enough to know.
    pub(crate) fn holds(&self, choice: &Choice) -> Option<bool> {
        let claims = choice.claim.iter().map(|(one, relation, other)| {
            let (one, other) = (self.number(one)?, self.number(other)?);
            Some(match relation {
                Relation::Same => is_same(one, other),
                Relation::Other => !is_same(one, other),
                Relation::Below => one < other && !is_same(one, other),
                Relation::AtMost => one < other || is_same(one, other),
                Relation::In | Relation::NotIn => return None,
            })
        });
        let claims: Vec<Option<bool>> = claims.collect();
        match claims.contains(&Some(false)) {
            true => Some(false),
            false => claims.iter().all(Option::is_some).then_some(true),
        }
    }

    fn number_on(&self, on: &Problem, measure: &Measure) -> Option<f64> {
        match self.value_on(on, measure)? {
            Value::Number(number) => Some(number),
            Value::Names(_) => None,
        }
    }

    fn value_on(&self, on: &Problem, measure: &Measure) -> Option<Value> {
        if let Measure::On(setup, inner) = measure {
            return self.value_on(self.setups.get(setup)?, inner);
        }
        if let Some(copied) = on.copies.as_ref().and_then(|it| it.value(measure)) {
            return Some(copied);
        }
        let number = self.combined(on, measure);
        let number = number.or_else(|| of_lifetimes(on, measure));
        let number = number.or_else(|| of_plan(on, measure));
        let names = || self.names(on, measure).map(Value::Names);
        number.map(Value::Number).or_else(names)
    }

    fn combined(&self, on: &Problem, measure: &Measure) -> Option<f64> {
        let number = |measure: &Measure| self.number_on(on, measure);
        let all = |list: &[Measure]| list.iter().map(number).collect::<Option<Vec<f64>>>();
        Some(match measure {
            Measure::Given(number) => *number,
            Measure::Plus(list) => all(list)?.iter().sum(),
            Measure::Least(list) => all(list)?.into_iter().reduce(f64::min)?,
            Measure::Most(list) => all(list)?.into_iter().reduce(f64::max)?,
            Measure::Less(pair) => number(&pair.0)? - number(&pair.1)?,
            Measure::Times(pair) => number(&pair.0)? * number(&pair.1)?,
            Measure::Over(pair) => number(&pair.0)? / number(&pair.1)?,
            _ => return None,
        })
    }

    fn names(&self, on: &Problem, measure: &Measure) -> Option<Vec<String>> {
        let these = |wanted: &dyn Fn(usize, &Buffer) -> bool| {
            let found = on
                .buffers
                .iter()
                .enumerate()
                .filter(|it| wanted(it.0, it.1));
            Some(found.map(|it| it.1.name.clone()).collect())
        };
        match measure {
            Measure::FullSteps(bytes) => {
                let bytes = self.number_on(on, bytes)?;
                let full = (0..on.steps).filter(|step| is_same(float(on.live(*step)), bytes));
                Some(full.map(|step| step.to_string()).collect())
            }
            Measure::FirstAfter(name) => {
                let end = on.buffer(name)?.end;
                let later = on.buffers.iter().map(|it| it.first);
                let first = later.filter(|it| *it >= end).min();
                these(&|_, it| Some(it.first) == first)
            }
            Measure::Meets(name) => {
                let own = on.buffer(name)?;
                these(&|_, it| it.name != own.name && it.meets(own))
            }
            Measure::BestRelief => {
                let without = (0..on.buffers.len()).map(|gone| on.peak_without(gone));
                let lowest = without.min()?;
                these(&|at, _| lowest < on.peak() && on.peak_without(at) == lowest)
            }
            Measure::LivesLongerThan(setup) => {
                let before = self.setups.get(setup)?;
                let old_end = |it: &Buffer| Some(before.buffer(&it.name)?.end);
                these(&|_, it| old_end(it).is_some_and(|end| end < it.end))
            }
            Measure::WrittenOver(name, buffer) => {
                let (plan, index) = (plan(on, name)?, on.index(buffer)?);
                let start = on.buffers[index].first;
                these(&|at, it| it.is_live(start) && share_bytes(on, &plan, (at, index)))
            }
            Measure::HeldUpApart(name, buffer) => {
                let index = on.index(buffer)?;
                let (own, under) = (&on.buffers[index], chain(on, &plan(on, name)?, index));
                these(&|at, it| under.contains(&at) && !it.meets(own))
            }
            Measure::BoundsEveryHole(name, step) => {
                let plan = plan(on, name)?;
                let holes = free(on, &plan, *step);
                these(&|at, it| {
                    let (low, high) = (plan.offsets[at], plan.offsets[at] + it.size);
                    let touches = |hole: &(u64, u64)| hole.0 == high || hole.1 == low;
                    it.is_live(*step) && !holes.is_empty() && holes.iter().all(touches)
                })
            }
            // What is evicted is what comes back later: a training step needs all of it.
            Measure::Evicts(number) => {
                let gone = on.buffers.iter().filter(|it| on.next(it).is_some());
                let mut gone: Vec<(u64, &str)> = gone.map(|it| (it.end, it.plain_name())).collect();
                gone.sort_unstable();
                let number = usize::try_from(*number).ok()?;
                Some(vec![gone.get(number)?.1.to_owned()])
            }
            _ => None,
        }
    }
}

/// Whether two buffers have bytes in common, whenever they are live.
fn share_bytes(on: &Problem, plan: &Plan, (one, other): (usize, usize)) -> bool {
    let ends = |at: usize| (plan.offsets[at], plan.offsets[at] + on.buffers[at].size);
    let (one_ends, other_ends) = (ends(one), ends(other));
    one != other && one_ends.0 < other_ends.1 && other_ends.0 < one_ends.1
}

fn of_lifetimes(on: &Problem, measure: &Measure) -> Option<f64> {
    let sizes = on.buffers.iter().map(|it| it.size);
    Some(float(match measure {
        Measure::Proved => on.least()?,
        Measure::Bound => on.peak(),
        // Objects of buffers that are written over each other are beyond these checks.
        Measure::ObjectBound if !on.hands_over() => on.maxima().iter().sum(),
        Measure::Live(step) => on.live(*step),
        Measure::Total => sizes.sum(),
        Measure::Largest => sizes.max()?,
        Measure::Size(name) => on.buffer(name)?.size,
        Measure::First(name) => on.buffer(name)?.first,
        Measure::Last(name) => on.buffer(name)?.end - 1,
        Measure::Buffers => u64::try_from(on.buffers.len()).ok()?,
        Measure::Steps => on.steps,
        _ => return None,
    }))
}

fn of_plan(on: &Problem, measure: &Measure) -> Option<f64> {
    let count = |number: usize| u64::try_from(number).ok();
    Some(float(match measure {
        // Both are smallest plans here: the search ends in all of these problems.
        Measure::Arena(name) if name == "exact" || name == "best" => on.least()?,
        Measure::Arena(name) => plan(on, name)?.arena,
        Measure::Objects(name) => count(plan(on, name)?.objects?.into_iter().max()? + 1)?,
        Measure::ObjectOf(name, buffer) => {
            let objects = plan(on, name)?.objects?;
            count(objects[on.index(buffer)?] + 1)?
        }
        Measure::Offset(name, buffer) => plan(on, name)?.offsets[on.index(buffer)?],
        Measure::Free(name, step) => {
            let holes = free(on, &plan(on, name)?, *step);
            holes.iter().map(|it| it.1 - it.0).sum()
        }
        Measure::LargestFree(name, step) => {
            let holes = free(on, &plan(on, name)?, *step);
            holes.iter().map(|it| it.1 - it.0).max().unwrap_or(0)
        }
        Measure::Faults(name) => {
            let plan = plan(on, name)?;
            let all = on.buffers.iter().enumerate();
            let pairs = all.flat_map(|(at, it)| {
                let before = on.buffers.iter().enumerate().take(at);
                let met = before.filter(|other| other.1.meets(it));
                met.map(move |other| (at, other.0))
            });
            count(pairs.filter(|pair| share_bytes(on, &plan, *pair)).count())?
        }
        // What comes back is called by its name with a number behind it.
        Measure::Recomputations => count(on.buffers.iter().filter(|it| it.comes_back()).count())?,
        // All sizes are multiples of the alignment, so that nothing starts later for it.
        Measure::Waste(name, part) if part == "alignment" => plan(on, name).map(|_| 0)?,
        // No allocator has rounded anything up where a table says where its buffers lie.
        Measure::Waste(name, part) if name == "deployed" && part == "fragmentation" => {
            plan(on, name)?.arena.checked_sub(on.peak())?
        }
        _ => return None,
    }))
}

/// The free ranges of a plan's arena at a step.
fn free(on: &Problem, plan: &Plan, step: u64) -> Vec<(u64, u64)> {
    let here = on.buffers.iter().zip(&plan.offsets);
    let here = here.filter(|(it, _)| it.is_live(step));
    let mut blocks: Vec<(u64, u64)> = here.map(|(it, at)| (*at, *at + it.size)).collect();
    blocks.push((plan.arena, plan.arena));
    blocks.sort_unstable();
    let (mut floor, mut ranges) = (0, Vec::new());
    for (start, end) in blocks {
        if start > floor {
            ranges.push((floor, start));
        }
        floor = floor.max(end);
    }
    ranges
}

/// What a buffer of a plan rests on, and what that rests on, down to the floor: always the highest
/// of those under it that it meets.
fn chain(on: &Problem, plan: &Plan, index: usize) -> Vec<usize> {
    let end = |at: usize| plan.offsets[at] + on.buffers[at].size;
    let (mut all, mut from) = (Vec::new(), index);
    loop {
        let under = (0..on.buffers.len()).filter(|&at| {
            let meets = on.buffers[at].meets(&on.buffers[from]);
            at != from && meets && end(at) <= plan.offsets[from]
        });
        let Some(next) = under.max_by_key(|&at| (end(at), std::cmp::Reverse(at))) else {
            return all;
        };
        all.push(next);
        from = next;
    }
}
