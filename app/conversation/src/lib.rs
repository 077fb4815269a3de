//! What the page knows and how it changes: one reducer, without a browser.
//!
//! [`update`] is the only writer of [`State`]. It takes an [`Event`] — what a person did, or what
//! a worker, a timer or the browser answered — and returns what is to be done in the browser as
//! [`Effect`]s. Whoever shows the state reads it, and looks again where a [`Tracked`] value has
//! changed.

// In reading order.
mod appearance;
mod axis;
mod language;
mod column;
mod progress;
mod given;
mod notice;
mod tracked;
mod training;
mod training_steps;
mod event;
mod effect;
mod eviction_film;
mod case;
mod state;
mod begin;
mod update;
mod opening;
mod talk;
mod replies;
mod planning;
mod price;
mod hand;
mod insight;
mod grouping;
mod advice;
mod stages;
mod text;
mod sweep;
mod film;
mod pace;
mod first_plans;
mod run;
mod look;
mod layout;
mod comparison;
mod history;
mod take_home;
mod learn;
mod link;
mod visits;
mod waiting;

pub use advice::{Advised, Advising};
pub use appearance::{Coloring, Dialog, Drawing, Tab, Theme, Window};
pub use begin::begin;
pub use case::{
    Case, Edit, Feeding, Films, Footage, Hand, Key, Moving, OpenFile, Outcome, Planning, Role,
    Runs, Trouble, Values, Version,
};
pub use column::Column;
pub use comparison::{Found, Pair};
pub use effect::{Effect, Remembered};
pub use event::{
    Action, AdviceAction, CaseAction, DifferenceAction, Event, FilmAction, HandAction,
    InsightAction, Keep, PageAction, PlanningAction, Setting, StagesAction, SweepAction,
    TextAction, Timer,
};
pub use film::{FILMS, Recording, SPEEDS};
pub use given::{Content, Given, Group, JOINT, Memory, Sample};
pub use grouping::{Grouping, When};
pub use insight::{Insight, Known, Lit, Place};
pub use language::Language;
pub use layout::{Fold, Frame, Layout, Mode, NARROW, Panel, Tiling, WindowSize, limits};
pub use learn::{LessonAction, Measuring, Shown, asked, file_name};
pub use link::{
    CARRIED, Expected, Fragment, Handiwork, Ignored, Known as KnownParts, MOST_POOLS, Put,
    join_cases,
};
pub use look::{Turn, Views};
pub use notice::{Message, Notice, Why};
pub use opening::{MOST_CASES, Where};
pub use pace::Pace;
pub use planning::{MOST_EFFORT, uses_effort};
pub use price::{Price, Priced, Pricing};
pub use progress::Progress;
pub use run::RunAction;
pub use stages::{Stages, StagesFound};
pub use state::{Going, Gpu, LaneName, Missing, Page, Quiet, State, Work};
pub use sweep::{Range, Sweep, suggested};
pub use text::{Before, MOST_TEXT, Text, TextFault, Written};
pub use tracked::Tracked;
pub use training::{MOST_SAMPLES, TrainingAction};
pub use training_steps::{Aside, Asked, ChosenStep, EvictionFilm, TrainingFound, TrainingSteps};
pub use update::update;
pub use visits::Visit;
