//! What can happen: what a person does, and what is answered.

use std::sync::Arc;

use planner::advice::Wish;
use planner::load::Columns;
use planner::waste::WasteKind;
use planner::{Bytes, Effort, Io, Parallel, PassSet, Pool, Span, Step, Strategy, Training};
use worker::CaseId;

use crate::model::appearance::{Coloring, Dialog, Drawing, Tab, Theme, Window};
use crate::model::case::{Drag, Feeding};
use crate::model::column::Column;
use crate::model::given::Given;
use crate::model::grouping::Grouping;
use crate::model::insight::{Lit, PlanPosition};
use crate::model::language::Language;
use crate::model::layout::{Mode, Panel, WindowSize};
use crate::model::learn::LessonAction;
use crate::model::look::Turn;
use crate::model::machines::Missing;
use crate::model::notice::Message;
use crate::model::opening::Where;
use crate::model::pace::Pace;
use crate::model::page::LaneName;
use crate::model::run::RunAction;
use crate::model::sweep::Range;
use crate::model::timer::Timer;
use crate::model::training::TrainingAction;
use crate::model::visits::Visit;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The whole page is there, after the first picture.
    Whole,
    /// A person did something in a case; `None` means the one that tabs are about.
    Act(Option<CaseId>, Action),
    /// These files were open before the page was reloaded.
    BroughtBack(Vec<Visit>),
    /// The address bar says this, without `#`; the visits are those of its entry.
    Visited(String, Vec<u32>),
    /// The planner's worker replies.
    Worker(Box<worker::Reply>),
    /// The planner's worker was asked whether it is there, and has done all that it was asked
    /// before.
    WorkerHere,
    /// The planner's worker is gone; these are its last words.
    WorkerDied(planner::Message),
    /// The runner replies.
    Runner(Box<runner::Reply>),
    /// The runner is gone; these are its last words.
    RunnerDied(planner::Message),
    /// A sample was fetched for the wish of this number, or could not be.
    Fetched(u32, Result<Given, planner::Message>),
    /// A text was put on the clipboard, or the browser did not let it.
    Copied(bool),
    /// A model with a plan in it was offered, or the browser could not join it.
    Joined(bool),
    /// There is a GPU of this name, or none.
    Gpu(Result<String, Missing>),
    /// A file for the input of this position was read.
    Fed(CaseId, usize, Feeding),
    /// The time of a timer has come.
    Elapsed(Timer),
    /// A second of a run has gone by; whether the runner had answered since.
    Second(u32, bool),
}

/// Something that a person did.
#[derive(Clone, Debug)]
pub enum Action {
    /// Opened or closed a case, or turned to it.
    Case(CaseAction),
    /// Changed how the page looks, or has another window.
    Page(PageAction),
    /// Gave a symbolic dimension a value; `None` for one that it cannot have.
    Bind(String, Option<u64>),
    /// Chose something about planning.
    Planning(PlanningAction),
    /// Showed or hid a column's pane.
    Show(Column, bool),
    /// Looks at the plan in the file beside the best one.
    SideBySide,
    /// Asked for a plan that was not made yet, or was cancelled.
    Plan(Column),
    /// Stopped whatever is at work.
    Cancel,
    /// Had the lifetimes looked for whose search was stopped.
    GoOn,
    /// Pointed at a buffer, or at none.
    Hover(Option<usize>),
    /// Chose a buffer, or none.
    Select(Option<usize>),
    /// Typed into the search.
    Search(String),
    /// Looked at this part; `None` shows everything.
    Look(Option<Window>),
    /// Looked at what was in view before, or after that.
    LookAgain(Turn),
    /// Chose whether each pane has a scale of addresses of its own.
    OwnScale(Option<bool>),
    /// Chose whether times are across, or steps.
    TimeAxis(bool),
    /// Chose what colours mean.
    Color(Coloring),
    /// Turned to a tab.
    Turn(Tab),
    /// Exported the model with a column's plan in it.
    Export(Column),
    /// Copied a text.
    Copy(String),
    /// Got this message.
    Notify(Message),
    /// Saved offsets as rows that cannot say how so many pairs of buffers share bytes.
    NotInCsv(usize),
    /// Did something about runs.
    Run(RunAction),
    /// Changed a plan by hand.
    Hand(HandAction),
    /// Compared plans or dumps.
    Differ(DifferenceAction),
    /// Did something with films.
    Film(FilmAction),
    /// Asked something of a plan.
    Insight(InsightAction),
    /// Did something with advice.
    Advice(AdviceAction),
    /// Did something with training steps.
    Training(TrainingAction),
    /// Did something with stages.
    Stages(StagesAction),
    /// Edited the graph as text.
    Text(TextAction),
    /// Did something with a sweep.
    Sweep(SweepAction),
    /// Plays a lesson.
    Lesson(LessonAction),
    /// Dismissed the notice.
    Dismiss,
}

/// What is open.
#[derive(Clone, Debug)]
pub enum CaseAction {
    /// Opened a user file, or several that make one document.
    OpenFiles(Vec<Given>, Where),
    /// Said what the columns of the table mean that waits for that.
    ReadAs(Columns),
    /// Said which events to hold of the recording that waits for that.
    ReadRange(Span),
    /// Opened a built-in sample.
    OpenSample(String, Where),
    /// Put the same document beside, to be prepared in another way.
    Duplicate,
    /// Took a case off the page.
    Close(CaseId),
    /// Turned to a case.
    Activate,
    /// Shows the panes of a case that was there for its figures.
    Reveal(CaseId),
    /// Had the panes of all cases show the same steps and addresses, or each its own.
    LinkAxes(bool),
}

/// How the page looks.
#[derive(Clone, Debug)]
pub enum PageAction {
    /// Switched single-key shortcuts on or off.
    Keys(bool),
    /// Chose a language.
    Speak(Language),
    /// Chose light or dark.
    Paint(Theme),
    /// Chose the renderer.
    Draw(Drawing),
    /// Opened or closed a dialog.
    Dialog(Option<Dialog>),
    /// Resized the window: a picture has this size now, in CSS pixels.
    Measure((f64, f64)),
    /// Resized the window, to so many CSS pixels.
    Resize(WindowSize),
    /// Opened or closed a panel.
    Open(Panel, bool),
    /// Gave a panel another size in CSS pixels; `None` for the usual one.
    Stretch(Panel, Option<u32>),
    /// Chose how much of the page is seen.
    Enter(Mode),
    /// Shows the pictures alone, or what is around them again.
    Focus(bool),
    /// Turned the system dark or light.
    Darken(bool),
    /// Asked the system for less motion, or not.
    Calm(bool),
    /// The browser gave a WebGPU device, or none.
    AnswerGpu(bool),
}

/// What is planned for.
#[derive(Clone, Debug)]
pub enum Setting {
    /// Chose an arena of a deployed plan.
    Arena(u32),
    /// Chose an alignment in bytes.
    Align(u64),
    /// Chose the most bytes of one allocation; `None` for no limit.
    LargestAllocation(Option<Bytes>),
    /// Chose where inputs and outputs live.
    PlaceIo(Io),
    /// Chose whether the pass at this row of the table runs.
    Pass(usize, Option<u8>),
    /// Chose all of these passes and no other.
    Passes(PassSet),
    /// Turned to the stage that this row of the table of passes ends, or to the last one.
    Until(Option<u8>),
    /// Chose the training step that is planned in place of the model, or the model.
    Training(Option<Training>),
    /// Chose which operators may run at the same time.
    Parallel(Parallel),
    /// Chose the memories to plan for.
    Pools(Vec<Pool>),
}

/// Something that a person chose about planning.
#[derive(Clone, Debug)]
pub enum PlanningAction {
    /// Chose what is planned for.
    Set(Setting),
    /// Chose how long searches may search.
    Effort(Effort),
    /// Typed an effort that there cannot be.
    EffortOutside,
    /// Asked searches to search longer.
    SearchLonger(Column),
    /// Asked what running in parallel costs.
    MeasurePrice,
    /// Does not want to know it any longer.
    StopPrice,
    /// Stopped a strategy.
    Stop(Column),
    /// Asked for a plan once more.
    Again(Column),
    /// Looks at the witness of a bound, by its place in the list, or at none.
    Witness(Option<usize>),
}

/// Something that a person did to a plan by hand.
#[derive(Clone, Debug)]
pub enum HandAction {
    /// Put a buffer of a plan elsewhere.
    Move(Drag),
    /// Holds a rectangle over a new place, or over none.
    Drag(Option<Drag>),
    /// Let go of it there.
    Drop,
    /// Moves the selected rectangle by this many alignments.
    Nudge(i8),
    /// Moved the selected buffer to the next free place above (true) or below.
    Hop(bool),
    /// Pinned or unpinned a buffer of a plan.
    Pin(Column, usize),
    /// Chose the buffer that is to change places with another, or none.
    Partner(Option<usize>),
    /// Had two buffers of a plan change places.
    Swap(Column, usize, usize),
    /// Chose what plans the rest.
    Finisher(Strategy),
    /// Asked a strategy to plan what is not kept.
    Finish(Column, Keep),
    /// Takes all changes of a plan back.
    Restore(Column),
    /// Took the latest change of the plan that the buttons are about back.
    Undo,
    /// Did again what was taken back.
    Redo,
}

/// What stays where it is while a strategy plans the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// What is pinned.
    Pins,
    /// Everything but this buffer.
    AllBut(usize),
}

/// Something that a person did with differences.
#[derive(Clone, Debug)]
pub enum DifferenceAction {
    /// Compared these two plans.
    Plans(Column, Column),
    /// Chose whether everything that moved is outlined, or only what decides.
    AllMoved(bool),
    /// Compared the open dump with another one.
    Dump(Vec<Given>),
    /// Had the outlines shown again, in place of what is lit.
    Outlines,
    /// Took the other dump for the one after, or for the one before.
    Turn,
    /// Is done with the other dump, or does not wait for it any longer.
    Close,
}

/// Something that a person did with films.
#[derive(Clone, Debug)]
pub enum FilmAction {
    /// Chose the strategy of the first or second film; `None` for none.
    Choose(usize, Option<Strategy>),
    /// Asked again for a film that was cancelled or failed.
    Make(Column),
    /// Started or stopped.
    Play(bool),
    /// Went to a step.
    Go(usize),
    /// Went this many steps on, or back.
    Step(i8),
    /// Went to the start (`false`) or to the end.
    End(bool),
    /// Chose how fast it plays.
    Speed(f64),
    /// Chose how two films keep step.
    Keep(Pace),
}

/// Something that a person did with advice.
#[derive(Clone, Debug)]
pub enum AdviceAction {
    /// Asked for another replay, too.
    Wish(Wish),
    /// Stopped it.
    Stop,
}

/// Something that a person did with the stages of a model.
#[derive(Clone, Debug)]
pub enum StagesAction {
    /// Stopped looking for them.
    Stop,
    /// Asked for them again.
    Again,
    /// Slides over the stages: this one is in view meanwhile.
    Slide(Option<u8>),
    /// Let go of the slider.
    Rest,
    /// Looks at a tensor by its name; where it is not in view, at the stage that this row ends.
    Lead(String, u8),
    /// Put the stage that this row of the table of passes ends beside.
    Beside(u8),
}

/// Something that a person did with the text of a graph.
#[derive(Clone, Debug)]
pub enum TextAction {
    /// Typed: this is the text now.
    Type(Arc<str>),
    /// Took the latest edit back.
    Undo,
    /// Did again what was taken back.
    Redo,
    /// Went back to the graph as it was opened.
    AsOpened,
}

/// Something that a person did with a sweep.
#[derive(Clone, Debug)]
pub enum SweepAction {
    /// Started a sweep over these values.
    Start(Range),
    /// Stopped it.
    Stop,
    /// Went on with the values that are left.
    GoOn,
}

/// A question about a plan.
#[derive(Clone, Debug)]
pub enum InsightAction {
    /// Pointed at a place, or at none.
    Ask(Option<PlanPosition>),
    /// Switched the crosshair on at a place, or off.
    Cross(Option<PlanPosition>),
    /// Lit a part of the arena, or nothing.
    Part(Option<WasteKind>),
    /// Lit this, or nothing.
    Light(Option<Lit>),
    /// Looked at a step, or at none.
    Step(Option<Step>),
    /// Moved the pointer over a step, or off all.
    Point(Option<Step>),
    /// Moved the pointer over the operator of a step, or off all.
    Operator(Option<Step>),
    /// Showed or hid the graphs.
    Graph(bool),
    /// Chose what is grouped by who allocated it.
    Group(Grouping),
    /// Opened or closed the lanes.
    Open(bool),
    /// Showed or hid a lane.
    Lane(LaneName, bool),
    /// Cleared all of it.
    Clear,
}

impl Action {
    /// Whether it follows from where the pointer is or what the browser does, and says nothing
    /// of what the person wants.
    pub(crate) fn follows(&self) -> bool {
        matches!(
            self,
            Self::Hover(_)
                | Self::Page(
                    PageAction::Measure(_)
                        | PageAction::Resize(_)
                        | PageAction::Darken(_)
                        | PageAction::Calm(_)
                        | PageAction::AnswerGpu(_)
                )
                | Self::Insight(InsightAction::Point(_) | InsightAction::Operator(_))
                | Self::Lesson(LessonAction::Measure(_))
        )
    }

    /// Whether it is done to the case, so that tabs and inspector turn to it.
    pub(crate) fn turns_to_case(&self) -> bool {
        !self.follows()
            && !matches!(
                self,
                Self::Case(
                    CaseAction::OpenFiles(..)
                        | CaseAction::OpenSample(..)
                        | CaseAction::ReadAs(_)
                        | CaseAction::ReadRange(_)
                        | CaseAction::Close(_)
                        | CaseAction::Reveal(_)
                        | CaseAction::LinkAxes(_)
                ) | Self::Page(_)
                    | Self::Cancel
                    | Self::Look(_)
                    | Self::LookAgain(_)
                    | Self::Turn(_)
                    | Self::Copy(_)
                    | Self::Notify(_)
                    | Self::Lesson(_)
                    | Self::Dismiss
            )
    }
}

impl From<CaseAction> for Action {
    fn from(action: CaseAction) -> Self {
        Self::Case(action)
    }
}

impl From<PageAction> for Action {
    fn from(action: PageAction) -> Self {
        Self::Page(action)
    }
}

impl From<Setting> for Action {
    fn from(setting: Setting) -> Self {
        Self::Planning(PlanningAction::Set(setting))
    }
}
