//! What the page knows and how it changes: one reducer, without a browser.
//!
//! [`update`] is the only writer of [`State`]. It takes an [`Event`] — what a person did, or what
//! a worker, a timer or the browser answered — and returns what is to be done in the browser as
//! [`Effect`]s. Whoever shows the state reads it, and looks again where a [`Tracked`] value has
//! changed.

// What is known; then, above it, how it changes, in reading order.
mod model;

mod begin;
mod update;
mod opening;
mod worker_queue;
mod asks;
mod replies;
mod planning;
mod price;
mod hand;
mod insight;
mod advice;
mod stages;
mod ranks;
mod training;
mod training_steps;
mod eviction_film;
mod text;
mod sweep;
mod film;
mod first_plans;
mod run;
mod zeros;
mod look;
mod axis;
mod layout;
mod notice;
mod comparison;
mod history;
mod export;
mod learn;

pub use begin::begin;
pub use film::{FILMS, SPEEDS};
pub use learn::{asked, file_name};
pub use model::advice::Advising;
pub use model::appearance::{Coloring, Dialog, Drawing, Tab, Theme, Window};
pub use model::ask::{Answer, Ask};
pub use model::case::{
    Case, Drag, Edit, Feeding, FilmState, Films, Key, ManualEdits, OpenFile, Outcome, Planning,
    Role, Runs, Trouble, Values, Version,
};
pub use model::column::Column;
pub use model::comparison::Pair;
pub use model::effect::{Effect, Remembered};
pub use model::effort::{MOST_EFFORT, uses_effort};
pub use model::event::{
    Action, AdviceAction, CaseAction, DifferenceAction, Event, FilmAction, HandAction,
    InsightAction, Keep, PageAction, PlanningAction, Setting, StagesAction, SweepAction,
    TextAction,
};
pub use model::film::Recording;
pub use model::given::{Content, Given, Group, JOINT, Memory, Sample};
pub use model::grouping::{Grouping, When};
pub use model::insight::{Insight, Known, Lit, PlanPosition};
pub use model::language::Language;
pub use model::layout::{Fold, Frame, Layout, Mode, NARROW, Panel, Tiling, WindowSize, limits};
pub use model::learn::{LessonAction, Shown};
pub use model::link::{
    CARRIED, Expected, Fragment, Handiwork, Ignored, Known as KnownParts, MOST_POOLS, Put,
    join_cases,
};
pub use model::look::{Turn, Views};
pub use model::machines::{Gpu, Missing};
pub use model::notice::{Message, Notice, Why};
pub use model::opening::Where;
pub use model::pace::Pace;
pub use model::page::{Going, LaneName, Page, Quiet, Work};
pub use model::price::{Price, Priced, Pricing};
pub use model::progress::Progress;
pub use model::run::RunAction;
pub use model::state::State;
pub use model::sweep::{Range, Sweep};
pub use model::text::{Before, Text, TextFault};
pub use model::timer::Timer;
pub use model::tracked::Tracked;
pub use model::training::TrainingAction;
pub use model::training_steps::{
    AskedFor, ChosenStep, Counting, Estimating, EvictionFilm, Fitting, TrainingFound, TrainingSteps,
};
pub use model::visits::Visit;
pub use opening::MOST_CASES;
pub use sweep::suggested;
pub use text::MOST_TEXT;
pub use training::MOST_SAMPLES;
pub use update::update;
