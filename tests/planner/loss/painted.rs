//! What a loss has to say, byte by byte and step by step, from a table of what every buffer needs:
//! nothing of it is taken from the planner but the profile of live bytes.

use planner::space::{Blocker, Hole, Loss, Why};
use planner::{Buffer, Handover, Lifetimes, Offset, Plan, Span, Step, profile};
use tests::arbitrary::{compatible, needs};

use super::range;

/// A plan painted: who needs each byte at each step.
pub(super) struct Painted<'a> {
    lifetimes: &'a Lifetimes,
    plan: &'a Plan,
    alignment: u64,
    /// By step and byte.
    rows: Vec<Vec<Vec<usize>>>,
}

impl<'a> Painted<'a> {
    pub(super) fn new(lifetimes: &'a Lifetimes, plan: &'a Plan, alignment: u64) -> Self {
        let arena = usize::try_from(plan.arena.0).expect("small");
        let row = |step| {
            let mut row = vec![Vec::new(); arena];
            for (index, buffer) in lifetimes.buffers.iter().enumerate() {
                for byte in (0..buffer.size.0).filter(|&byte| needs(buffer, step, byte)) {
                    let place = usize::try_from(plan.offsets[index].0 + byte).expect("small");
                    row[place].push(index);
                }
            }
            row
        };
        let rows = (0..lifetimes.horizon.0).map(row).collect();
        Self {
            lifetimes,
            plan,
            alignment,
            rows,
        }
    }

    fn holders(&self, step: u64, byte: u64) -> &[usize] {
        let [step, byte] = [step, byte].map(|it| usize::try_from(it).expect("small"));
        &self.rows[step][byte]
    }

    fn is_free(&self, step: u64, hole: &Hole) -> bool {
        (hole.low.0..hole.high.0).all(|byte| self.holders(step, byte).is_empty())
    }

    fn held(&self, step: u64) -> u64 {
        let held = |&byte: &u64| !self.holders(step, byte).is_empty();
        (0..self.plan.arena.0).filter(held).count() as u64
    }

    fn end(&self, index: usize) -> u64 {
        self.plan.offsets[index].0 + self.lifetimes.buffers[index].size.0
    }

    /// The buffers that reach highest, and the fullest step of theirs.
    fn decisive(&self) -> (Vec<usize>, u64) {
        let buffers = &self.lifetimes.buffers;
        let is_needed = |it: &Buffer| it.size.0 > 0 && it.span.start < it.span.end;
        let mut reaching: Vec<usize> = (0..buffers.len()).collect();
        reaching.retain(|&index| is_needed(&buffers[index]));
        let top = reaching.iter().map(|&index| self.end(index)).max();
        reaching.retain(|&index| Some(self.end(index)) == top);
        let steps = |whole: bool| {
            let reaching = &reaching;
            let counts = move |step: &u64| {
                let mut live = reaching.iter().map(|&index| &buffers[index]);
                live.any(|it| match whole {
                    true => needs(it, *step, it.size.0 - 1),
                    false => it.span.contains(Step(*step)),
                })
            };
            (0..self.lifetimes.horizon.0).filter(counts)
        };
        let mut candidates: Vec<u64> = steps(true).collect();
        if candidates.is_empty() {
            candidates = steps(false).collect();
        }
        let fullest = candidates
            .into_iter()
            .rev()
            .max_by_key(|&step| self.held(step));
        (reaching, fullest.expect("something lies there"))
    }

    /// Whether all of `loss` is what is painted.
    pub(super) fn judge(&self, loss: &Loss) {
        let (reaching, step) = self.decisive();
        assert_eq!((loss.step.0, loss.reaching), (step, reaching.len() as u64));
        let live = |index: &usize| self.lifetimes.buffers[*index].span.contains(Step(step));
        let top: Vec<usize> = reaching.into_iter().filter(live).collect();
        assert_eq!(loss.top, top);
        assert_eq!(loss.held.0, self.held(step));
        assert_eq!(loss.live, profile(self.lifetimes).at(Step(step)));
        assert!(loss.apart() >= 0 && loss.idle() >= 0, "{loss:?}");
        let sum: u64 = loss.holes.iter().map(|hole| hole.height().0).sum();
        let empty = sum + loss.more_bytes.0;
        assert_eq!(
            (empty, empty),
            (loss.empty().0, self.plan.arena.0 - loss.held.0)
        );
        let bytes = i128::from(self.plan.arena.0) - i128::from(loss.bound.0);
        assert_eq!(bytes, i128::from(loss.bytes.0));
        assert_eq!(bytes, i128::from(empty) + loss.apart() - loss.idle());
        let free = |&byte: &u64| self.holders(step, byte).is_empty();
        let free: Vec<u64> = (0..self.plan.arena.0).filter(free).collect();
        let runs = free.chunk_by(|a, b| a + 1 == *b);
        let runs: Vec<_> = runs
            .map(|run| (run[0], run[0] + run.len() as u64))
            .collect();
        assert_eq!(runs, loss.holes.iter().map(range).collect::<Vec<_>>());
        for hole in &loss.holes {
            self.judge_hole(step, hole);
            self.judge_blocker(step, hole);
            self.judge_fit(&loss.top, hole);
        }
    }

    fn judge_hole(&self, step: u64, hole: &Hole) {
        let holds = |who: Option<usize>, byte: u64| {
            let holders = self.holders(step, byte);
            assert!(who.is_some_and(|it| holders.contains(&it)), "{hole:?}");
        };
        match hole.low.0 {
            0 => assert_eq!(hole.below, None),
            low => holds(hole.below, low - 1),
        }
        match hole.high.0 {
            high if high == self.plan.arena.0 => assert_eq!(hole.above, None),
            high => holds(hole.above, high),
        }
        let span = hole.span;
        assert!(span.contains(Step(step)));
        assert!((span.start.0..span.end.0).all(|step| self.is_free(step, hole)));
        let held = |who: Option<usize>, step: u64| {
            let mut bytes = hole.low.0..hole.high.0;
            let holds = |it, byte| self.holders(step, byte).contains(&it);
            assert!(
                who.is_some_and(|it| bytes.any(|byte| holds(it, byte))),
                "{hole:?}"
            );
        };
        match span.start.0 {
            0 => assert_eq!(hole.before, None),
            start => held(hole.before, start - 1),
        }
        match span.end {
            end if end == self.lifetimes.horizon => assert_eq!(hole.after, None),
            end => held(hole.after, end.0),
        }
    }

    fn unit(&self, index: usize) -> u64 {
        self.alignment
            .max(self.lifetimes.buffers[index].alignment.0)
    }

    /// Whether buffer `index` may lie at `to` with all others where they are; with whom not.
    fn in_the_way(&self, index: usize, to: u64) -> Vec<usize> {
        let others = (0..self.lifetimes.buffers.len()).filter(|&other| other != index);
        let clashes = |&other: &usize| {
            let place = (other, self.plan.offsets[other].0);
            !compatible(self.lifetimes, (index, to), place)
        };
        others.filter(clashes).collect()
    }

    fn judge_blocker(&self, step: u64, hole: &Hole) {
        let Some(above) = hole.above else {
            return assert_eq!(hole.because, None);
        };
        let (it, from) = (&self.lifetimes.buffers[above], self.plan.offsets[above].0);
        let because = hole.because;
        if let Some(Blocker { buffer, why, .. }) = because {
            let of_itself = buffer == above;
            assert_eq!(of_itself, matches!(why, Why::Itself | Why::Fixed));
            match why {
                Why::Itself => return assert!(from <= hole.low.0),
                Why::Fixed => return assert!(it.fixed == Some(Offset(from))),
                Why::Object => return self.judge_object((above, buffer), hole.low.0),
                Why::Under | Why::Alignment | Why::Shared => {}
            }
        }
        assert!(from > hole.low.0);
        let unit = self.unit(above);
        let to = (0..from)
            .rev()
            .find(|to| to.is_multiple_of(unit))
            .expect("0 is");
        let in_the_way = self.in_the_way(above, to);
        let Some(Blocker { buffer, why, span }) = because else {
            return assert!(in_the_way.is_empty(), "{hole:?}");
        };
        assert!(in_the_way.contains(&buffer), "{hole:?} {in_the_way:?}");
        let clash = |other: usize| {
            let (theirs, at) = (&self.lifetimes.buffers[other], self.plan.offsets[other].0);
            let both = move |step: &u64| {
                (0..it.size.0).any(|byte| {
                    let own = needs(it, *step, byte);
                    own && to + byte >= at && needs(theirs, *step, to + byte - at)
                })
            };
            (0..self.lifetimes.horizon.0)
                .filter(both)
                .collect::<Vec<_>>()
        };
        let steps = clash(buffer);
        assert_eq!(Span::new(steps[0], steps[steps.len() - 1] + 1), span);
        let away = |other| clash(other).into_iter().map(|it| it.abs_diff(step)).min();
        let shares = |other: usize| {
            let now = self.in_the_way(above, from);
            let (theirs, at) = (&self.lifetimes.buffers[other], self.plan.offsets[other].0);
            let meet =
                theirs.span.overlaps(it.span) && at < self.end(above) && from < at + theirs.size.0;
            assert!(!now.contains(&other));
            meet && self.handed(above, other)
        };
        match why {
            Why::Shared => assert!(in_the_way.iter().all(|&other| shares(other))),
            _ => {
                assert_eq!(why == Why::Alignment, away(buffer) == Some(0));
                let nearest = in_the_way.iter().filter(|&&other| !shares(other));
                let nearest = nearest.min_by_key(|&&other| (away(other), other));
                assert_eq!(nearest, Some(&buffer));
            }
        }
        if why == Why::Alignment {
            assert!(hole.height().0 < unit);
        }
    }

    /// Whether one is written over the other where they lie.
    fn handed(&self, one: usize, other: usize) -> bool {
        let offset = |index: usize| self.plan.offsets[index].0;
        let meet = |it: &Handover| {
            let [giver, heir] = [it.before, it.after].map(|it| &self.lifetimes.buffers[it]);
            giver.span.end.0 == heir.span.start.0 + 1
        };
        let mut pairs = self.lifetimes.handovers.iter().filter(|it| meet(it));
        pairs.any(|it| {
            let pair = (it.before, it.after);
            let both = pair == (one, other) || pair == (other, one);
            both && offset(it.before) + it.shift.0 == offset(it.after)
        })
    }

    fn judge_object(&self, (above, largest): (usize, usize), low: u64) {
        let objects = self.plan.objects.as_ref().expect("a plan of objects");
        let of = |index: usize| objects.of_buffer[index] as usize;
        let (own, below) = (of(above), of(largest));
        assert!(below < own);
        let size = self.lifetimes.buffers[largest].size;
        assert_eq!(size, objects.sizes[below]);
        let end = objects.offsets[below].0 + size.0;
        let units = (0..self.lifetimes.buffers.len()).map(|index| self.unit(index));
        let gap = objects.offsets[own].0 - end;
        assert!(
            low < end && gap < units.max().unwrap_or(1),
            "{low} {end} {gap}"
        );
    }

    fn judge_fit(&self, top: &[usize], hole: &Hole) {
        let fits = |index: usize| {
            let it = &self.lifetimes.buffers[index];
            let last = hole.high.0.checked_sub(it.size.0);
            let places = last.map(|last| hole.low.0..=last).into_iter().flatten();
            let mut places = places.filter(|to| to.is_multiple_of(self.unit(index)));
            places.any(|to| self.in_the_way(index, to).is_empty())
        };
        if let Some(index) = hole.fits {
            assert!(top.contains(&index) && fits(index), "{hole:?}");
        }
        // It is not looked for where bytes could be shared, or lie in another's pause.
        let lifetimes = self.lifetimes;
        let plain = lifetimes.handovers.is_empty() && self.plan.objects.is_none();
        let plain = plain && lifetimes.buffers.iter().all(|it| it.pauses.is_empty());
        if plain {
            let free = |&&index: &&usize| lifetimes.buffers[index].fixed.is_none();
            let first = top.iter().filter(free).find(|&&index| fits(index));
            assert_eq!(hole.fits.as_ref(), first, "{hole:?}");
        }
    }
}
