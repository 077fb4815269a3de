//! Deterministic generators of hard placement problems whose optimum, or a capacity that
//! surely suffices, is known beforehand because a plan was there before its buffers.

use planner::{Lifetimes, Span};

use crate::lifetimes::of;
use crate::random::Random;

/// A problem, and an arena that surely suffices for it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The buffers.
    pub lifetimes: Lifetimes,
    /// Bytes of an arena in which there is a plan.
    pub capacity: u64,
}

/// What a generated problem looks like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Groups of buffers that share no step with each other.
    pub partitions: u64,
    /// Buffers of each group before any is dropped.
    pub pieces: usize,
    /// Steps of each group.
    pub steps: u64,
    /// Bytes of the arena, in units.
    pub units: u64,
    /// Sizes are multiples of this many bytes.
    pub unit: u64,
    /// Of a thousand buffers so many lose a part of their size, or vanish.
    pub shaved: u64,
}

/// A piece of the full rectangle: steps and units, both half-open.
#[derive(Clone, Copy, Debug)]
struct Piece {
    steps: (u64, u64),
    units: (u64, u64),
}

impl Piece {
    fn width(&self) -> u64 {
        self.steps.1 - self.steps.0
    }

    fn height(&self) -> u64 {
        self.units.1 - self.units.0
    }

    fn part(steps: (u64, u64), units: (u64, u64)) -> Self {
        Self { steps, units }
    }
}

/// A full rectangle of `steps` × `units` cut into `pieces`: the optimum is `units` × `unit`
/// bytes, because every step is full. The buffers stand in no order of time or address.
#[must_use]
pub fn cut_rectangle(seed: u64, pieces: usize, steps: u64, units: u64, unit: u64) -> Known {
    problem(
        seed,
        Shape {
            partitions: 1,
            pieces,
            steps,
            units,
            unit,
            shaved: 0,
        },
    )
}

/// A problem of `shape`: in each group a full rectangle is cut into pieces, some of which
/// are then made smaller or left out. Where `shaved` is 0, `capacity` is the optimum.
#[must_use]
pub fn problem(seed: u64, shape: Shape) -> Known {
    let mut random = Random::new(seed);
    let mut buffers = Vec::new();
    for group in 0..shape.partitions {
        let base = group * shape.steps;
        for piece in cut(&mut random, &shape) {
            let mut units = piece.height();
            if random.below(1000) < shape.shaved {
                units = random.below(units);
            }
            if units > 0 {
                let span = Span::new(base + piece.steps.0, base + piece.steps.1);
                buffers.push((units * shape.unit, span));
            }
        }
    }
    for index in (1..buffers.len()).rev() {
        buffers.swap(index, random.index(index + 1));
    }
    Known {
        lifetimes: of(buffers),
        capacity: shape.units * shape.unit,
    }
}

/// Cuts until there are enough pieces or none can be cut.
fn cut(random: &mut Random, shape: &Shape) -> Vec<Piece> {
    let whole = Piece::part((0, shape.steps.max(1)), (0, shape.units.max(1)));
    let mut pieces = vec![whole];
    let mut failures = 0;
    while pieces.len() < shape.pieces && failures < 100 {
        // Of a few, the largest: pieces differ in size, but none stays huge.
        let tries = [(); 3].map(|()| random.index(pieces.len()));
        let area = |index: &usize| {
            let piece = &pieces[*index];
            u128::from(piece.width()) * u128::from(piece.height())
        };
        let chosen = tries.into_iter().max_by_key(area).unwrap_or_default();
        let parts = match random.below(4) {
            0 => pinwheel(random, pieces[chosen]),
            1 => across(random, pieces[chosen]),
            _ => along(random, pieces[chosen]),
        };
        failures = if parts.is_empty() { failures + 1 } else { 0 };
        if !parts.is_empty() {
            pieces.swap_remove(chosen);
            pieces.extend(parts);
        }
    }
    pieces
}

/// One cut at a moment.
fn across(random: &mut Random, piece: Piece) -> Vec<Piece> {
    let Piece { steps, units } = piece;
    if piece.width() < 2 {
        return Vec::new();
    }
    let at = random.within(steps.0 + 1, steps.1);
    vec![
        Piece::part((steps.0, at), units),
        Piece::part((at, steps.1), units),
    ]
}

/// One cut at an address.
fn along(random: &mut Random, piece: Piece) -> Vec<Piece> {
    let Piece { steps, units } = piece;
    if piece.height() < 2 {
        return Vec::new();
    }
    let at = random.within(units.0 + 1, units.1);
    vec![
        Piece::part(steps, (units.0, at)),
        Piece::part(steps, (at, units.1)),
    ]
}

/// Four pieces around a fifth: the least arrangement that no straight cuts can make.
fn pinwheel(random: &mut Random, piece: Piece) -> Vec<Piece> {
    let Piece {
        steps: (a, d),
        units: (low, high),
    } = piece;
    if piece.width() < 3 || piece.height() < 3 {
        return Vec::new();
    }
    let b = random.within(a + 1, d - 1);
    let c = random.within(b + 1, d);
    let lower = random.within(low + 1, high - 1);
    let upper = random.within(lower + 1, high);
    vec![
        Piece::part((a, c), (low, lower)),
        Piece::part((c, d), (low, upper)),
        Piece::part((b, d), (upper, high)),
        Piece::part((a, b), (lower, high)),
        Piece::part((b, c), (lower, upper)),
    ]
}
