//! What is right in a scene, measured while it is played.

use serde::{Deserialize, Serialize};

use crate::drops::{Drop, drops};
use crate::instance::{Instances, Unmeasured};
use crate::measure::{Measure, Value};
use crate::predict::{Choice, GiveUp, Number, Operators, PlacementTask, Predict};
use crate::scene::Scene;

/// What planner, judge and search say of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What is right.
    pub right: Right,
    /// The figures of its texts, in their order.
    pub figures: Vec<f64>,
    /// Where the buffers lie in the smallest plan, by name, where places are asked for.
    pub solution: Vec<(String, u64)>,
}

/// What is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Right {
    /// The choices whose claims hold: one, where the lesson is well made.
    Choices(Vec<String>),
    /// A number, and what each known mistake comes to.
    Number(f64, Vec<f64>),
    /// Names: of what is pointed at, or of a list in its order.
    Names(Vec<String>),
    /// An arena or a peak of so many bytes or less.
    Bytes {
        /// What is to be reached.
        goal: f64,
        /// The least arena, proved; of an order of operators the goal.
        least: f64,
        /// What deserves one star, and two.
        stars: Vec<f64>,
    },
    /// One output that changes.
    OneOutput,
    /// A set of activations that is given up.
    Drops {
        /// What the values may take at once, in bytes.
        budget: f64,
        /// The fewest recomputations of any schedule.
        fewest: f64,
        /// A larger budget that deserves one star.
        star: f64,
        /// The activations.
        names: Vec<String>,
        /// What every set comes to.
        sets: Vec<Drop>,
    },
}

/// Measures what is right in a scene, and its figures.
///
/// # Errors
/// [`Unmeasured`], of the first figure that cannot be measured.
pub fn measure(scene: &Scene, instances: &Instances) -> Result<Measured, Unmeasured> {
    let figures = scene.figures.iter().map(|it| instances.number(&it.is));
    Ok(Measured {
        right: right(&scene.predict, instances)?,
        figures: figures.collect::<Result<_, _>>()?,
        solution: match scene.predict {
            Predict::Place(_) => instances.own().solution()?,
            _ => Vec::new(),
        },
    })
}

fn right(predict: &Predict, instances: &Instances) -> Result<Right, Unmeasured> {
    let names = |measure: &Measure| match instances.value(measure)? {
        Value::Names(names) => Ok(Right::Names(names)),
        // A step is pointed at by its number.
        Value::Number(number) => Ok(Right::Names(vec![number.to_string()])),
    };
    match predict {
        Predict::Choose(choices) => {
            let mut hold = Vec::new();
            for choice in choices {
                if holds(choice, instances)? {
                    hold.push(choice.id.clone());
                }
            }
            Ok(Right::Choices(hold))
        }
        Predict::Number(Number { is, traps, .. }) => {
            let mistakes = traps.iter().map(|trap| instances.number(&trap.is));
            let mistakes = mistakes.collect::<Result<_, _>>()?;
            Ok(Right::Number(instances.number(is)?, mistakes))
        }
        Predict::Point(point) => names(&point.right),
        Predict::List(list) => names(&list.right),
        Predict::Place(PlacementTask { goal, stars, .. }) => {
            bytes(instances, (goal, &Measure::Proved), stars)
        }
        Predict::Operators(Operators { goal, stars, .. }) => bytes(instances, (goal, goal), stars),
        Predict::Corrupt(_) => Ok(Right::OneOutput),
        Predict::GiveUp(GiveUp {
            budget,
            fewest,
            star,
            ..
        }) => {
            let (names, sets) = drops(instances.own())?;
            Ok(Right::Drops {
                budget: instances.number(budget)?,
                fewest: instances.number(fewest)?,
                star: instances.number(star)?,
                names,
                sets,
            })
        }
    }
}

fn bytes(
    instances: &Instances,
    (goal, least): (&Measure, &Measure),
    stars: &[Measure],
) -> Result<Right, Unmeasured> {
    let stars = stars.iter().map(|it| instances.number(it));
    Ok(Right::Bytes {
        goal: instances.number(goal)?,
        least: instances.number(least)?,
        stars: stars.collect::<Result<_, _>>()?,
    })
}

fn holds(choice: &Choice, instances: &Instances) -> Result<bool, Unmeasured> {
    for (one, relation, other) in &choice.claim {
        if !relation.holds(&instances.value(one)?, &instances.value(other)?) {
            return Ok(false);
        }
    }
    Ok(true)
}
