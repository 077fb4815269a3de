//! How much of the lessons is followed by brute force, and what of it is wrong.

use lesson::{GiveUp, Measured, Predict, Right, Scene, Value};

use super::figures::{World, float, is_arithmetic, is_same};
use super::orders::Chain;
use super::problem::Buffer;

/// How much was looked at, and how much of it was followed.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) scenes: usize,
    pub(crate) figures: usize,
    pub(crate) figures_followed: usize,
    pub(crate) answers: usize,
    pub(crate) answers_followed: usize,
    /// What is of lifetimes and sizes alone and was not followed.
    pub(crate) missed: Vec<String>,
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    /// Looks at a scene of which `measured` is measured.
    pub(crate) fn scene(&mut self, scene: &Scene, world: &World, measured: &Measured) {
        self.scenes += 1;
        self.figures(scene, world, measured);
        if let Predict::Place(_) = &scene.predict {
            self.solution(scene, world, &measured.solution);
        }
        self.answers += 1;
        if self.answer(scene, world, &measured.right) {
            self.answers_followed += 1;
        } else if is_arithmetic_answer(&scene.predict) {
            self.missed.push(format!("{}: its answer", scene.id));
        }
    }

    /// Compares `own` with what is measured; whether there is anything to compare.
    fn compare(&mut self, place: &str, own: Option<f64>, is: f64) -> bool {
        if let Some(own) = own.filter(|own| !is_same(*own, is)) {
            self.wrong
                .push(format!("{place}: {own} by brute force, {is} measured"));
        }
        own.is_some()
    }

    fn figures(&mut self, scene: &Scene, world: &World, measured: &Measured) {
        for (figure, is) in scene.figures.iter().zip(&measured.figures) {
            let place = format!("{}: {:?}", scene.id, figure.is);
            let own = world.number(&figure.is);
            self.figures += 1;
            if self.compare(&place, own, *is) {
                self.figures_followed += 1;
            } else if is_arithmetic(&figure.is) {
                self.missed.push(place.clone());
            }
            if own.is_some_and(|own| !says(&figure.says, own)) {
                self.wrong
                    .push(format!("{place}: {own:?} is not {}", figure.says));
            }
        }
    }

    /// The smallest plan that is shown to who gives up is valid and as small as any.
    fn solution(&mut self, scene: &Scene, world: &World, solution: &[(String, u64)]) {
        let buffers = &world.own.buffers;
        let offsets: Vec<u64> = solution.iter().map(|it| it.1).collect();
        let names = buffers.iter().map(|it| &it.name);
        let is_same_order = names.eq(solution.iter().map(|it| &it.0));
        let arena = is_same_order.then(|| valid_arena(buffers, &offsets));
        // Where the smallest arena is not known here, the plan is to be valid at least.
        let is_least = |arena| world.own.least().is_none_or(|least| least == arena);
        if !arena.flatten().is_some_and(is_least) {
            let what = format!("{}: {solution:?} is no smallest plan", scene.id);
            self.wrong.push(what);
        }
    }

    /// Whether what is right was found here too.
    fn answer(&mut self, scene: &Scene, world: &World, right: &Right) -> bool {
        let place = &*scene.id;
        match (&scene.predict, right) {
            (Predict::Choose(choices), Right::Choices(hold)) => {
                let known: Vec<Option<bool>> = choices.iter().map(|it| world.holds(it)).collect();
                for (choice, own) in choices.iter().zip(&known) {
                    if own.is_some_and(|own| own != hold.contains(&choice.id)) {
                        self.wrong
                            .push(format!("{place}: {} is {own:?}", choice.id));
                    }
                }
                known.iter().all(Option::is_some)
            }
            (Predict::Number(number), Right::Number(is, traps)) => {
                for (trap, is) in number.traps.iter().zip(traps) {
                    self.compare(place, world.number(&trap.is), *is);
                }
                self.compare(place, world.number(&number.is), *is)
            }
            (Predict::Point(point), Right::Names(is)) => {
                let own = world.value(&point.right).map(|own| match own {
                    Value::Names(names) => names,
                    Value::Number(number) => vec![number.to_string()],
                });
                if own.as_ref().is_some_and(|own| own != is) {
                    self.wrong.push(format!("{place}: {own:?}, not {is:?}"));
                }
                own.is_some()
            }
            (Predict::Place(asked), Right::Bytes { goal, least, stars }) => {
                for (star, is) in asked.stars.iter().zip(stars) {
                    self.compare(place, world.number(star), *is);
                }
                let goal = self.compare(place, world.number(&asked.goal), *goal);
                self.compare(place, world.least(), *least) && goal
            }
            (Predict::Operators(asked), Right::Bytes { goal, .. }) => {
                self.compare(place, world.number(&asked.goal), *goal)
            }
            (Predict::GiveUp(asked), Right::Drops { .. }) => {
                self.drops(place, world, (asked, right))
            }
            _ => false,
        }
    }
}

impl Tally {
    /// What every set of activations comes to, and that one of them needs no more recomputations
    /// than any schedule.
    fn drops(&mut self, place: &str, world: &World, asked: (&GiveUp, &Right)) -> bool {
        let (
            asked,
            Right::Drops {
                budget,
                fewest,
                star,
                sets,
                ..
            },
        ) = asked
        else {
            return false;
        };
        let figures = [
            (&asked.budget, budget),
            (&asked.fewest, fewest),
            (&asked.star, star),
        ];
        let known = figures.map(|(own, is)| self.compare(place, world.number(own), *is));
        let Some(chain) = Chain::of(&world.own).filter(|_| !known.contains(&false)) else {
            return false;
        };
        for it in sets {
            let own = chain.given_up(it.set);
            if own != (it.peak, it.again) {
                self.wrong.push(format!("{place}: {own:?}, not {it:?}"));
            }
        }
        let fitting = sets.iter().filter(|it| float(it.peak) <= *budget);
        let least = fitting.map(|it| float(it.again)).reduce(f64::min);
        self.compare(place, least, *fewest) && sets.len() == 1 << chain.layers
    }
}

/// The arena of a plan in which no two buffers have a byte at the same time; `None` otherwise.
fn valid_arena(buffers: &[Buffer], offsets: &[u64]) -> Option<u64> {
    let placed: Vec<(&Buffer, u64)> = buffers.iter().zip(offsets.iter().copied()).collect();
    let clash = |one: &(&Buffer, u64), other: &(&Buffer, u64)| {
        let apart = one.1 + one.0.size <= other.1 || other.1 + other.0.size <= one.1;
        one.0.meets(other.0) && !apart
    };
    let pairs = placed.iter().enumerate();
    let mut pairs = pairs.flat_map(|(at, it)| placed.iter().take(at).map(move |other| (it, other)));
    let is_valid = !pairs.any(|(one, other)| clash(one, other));
    let ends = placed.iter().map(|it| it.1 + it.0.size);
    ends.max().filter(|_| is_valid)
}

/// Whether a text says this number, rounded to the digits that it writes.
fn says(text: &str, number: f64) -> bool {
    let plain = text.replace(',', "");
    let digits = plain.split_once('.').map_or(0, |it| it.1.len());
    // A whole number is said exactly: only a fraction is rounded.
    match digits {
        0 => plain.parse().is_ok_and(|said| is_same(said, number)),
        _ => plain == format!("{number:.digits$}"),
    }
}

/// The measures of what is asked, where they are of lifetimes and sizes alone.
fn is_arithmetic_answer(predict: &Predict) -> bool {
    match predict {
        Predict::Choose(choices) => {
            let claims = choices.iter().flat_map(|it| &it.claim);
            let mut both = claims.flat_map(|it| [&it.0, &it.2]);
            both.all(is_arithmetic)
        }
        Predict::Number(number) => is_arithmetic(&number.is),
        Predict::Point(point) => is_arithmetic(&point.right),
        Predict::Place(place) => is_arithmetic(&place.goal),
        Predict::Operators(operators) => is_arithmetic(&operators.goal),
        _ => false,
    }
}
