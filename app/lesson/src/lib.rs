//! Lessons as data: what they show and ask, and what the planner says is right.
//!
//! **bytes → lesson → instances → measured → judged.** [`read()`] takes a file to a [`Lesson`],
//! [`check()`] says what is doubtful in it before anything is planned, [`measure()`] has planner,
//! judge and search find what is right in a scene, [`judge()`] compares an answer with that. No
//! answer is written into a lesson.

// In reading order.
mod text;
mod measure;
mod predict;
mod scene;
mod random;
mod model;
mod read;
mod instance;
mod evaluate;
mod names;
mod damage;
mod drops;
mod swaps;
mod measured;
mod numbers;
mod check;
mod judge;

pub use check::{Doubt, check, doubts};
pub use damage::changed_outputs;
pub use drops::Drop;
pub use instance::{Edit, Instance, Instances, ReadyInstance, Unmeasured};
pub use judge::{Answer, Verdict, judge, stars};
pub use measure::{Measure, Relation, Value};
pub use measured::{Measured, Right, measure};
pub use model::{Lesson, Problem, Setup};
pub use predict::{
    Choice, Corrupt, Feedback, GiveUp, List, Need, Number, Operators, PlacementTask, Point,
    PointedAt, Predict, Trap,
};
pub use random::Random;
pub use read::{MOST_BYTES, Misread, read};
pub use scene::{Figure, Hidden, Scene};
pub use text::Text;
