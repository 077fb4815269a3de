//! Runs: one plan after the other is confirmed. Whatever starts replaces what is going on, by
//! ending the runner.

use std::collections::BTreeMap;
use std::sync::Arc;

use executor::engine::RunError;
use executor::verify::report::Report;
use planner::graph::{Graph, TensorId};
use runner::{Adapter, Failure, Feed, MachineKind, Output, Reply, Request, Run};
use worker::CaseId;

use crate::model::appearance::Tab;
use crate::model::case::{Case, Feeding, Key, Outcome, Trouble, Values};
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::given::{Content, Given};
use crate::model::machines::{Gpu, Missing};
use crate::model::notice::{Message, Notice, Why};
use crate::model::page::{Going, Quiet};
use crate::model::run::RunAction;
use crate::model::state::State;

impl State {
    pub(crate) fn run(&mut self, id: CaseId, action: RunAction) {
        match action {
            RunAction::Machine(machine) => self.page.machine.put(machine),
            RunAction::Seed(seed) => self.page.seed.put(seed),
            RunAction::Reference(on) => self.page.reference.put(on),
            RunAction::Handy(on) => self.page.handy.put(on),
            RunAction::Target(column) => {
                if let Some(case) = self.case_mut(id) {
                    case.runs.target.put(Some(column));
                    let key = case.key(column);
                    if case.runs.outcomes.contains_key(&key) {
                        case.runs.shown.put(Some(key));
                    }
                }
            }
            RunAction::Look(key) => {
                if let Some(case) = self.case_mut(id) {
                    case.runs.shown.put(Some(key));
                    case.runs.target.put(Some(key.0));
                }
            }
            RunAction::Feed(position, file) => self.feed(id, position, file),
            RunAction::Unfeed(position) => {
                if let Some(case) = self.case_mut(id) {
                    case.runs.inputs.remove(&position);
                }
            }
            RunAction::Start => {
                if let Some(column) = self.case(id).target() {
                    self.confirm(id, column);
                }
            }
            RunAction::StartUntil(steps) => {
                if let Some(key) = self.stopped_for(id) {
                    self.ask_runner(id, key, Vec::new(), Some(steps));
                }
            }
            RunAction::StartAll => {
                let case = self.case(id);
                let columns = case.planned_columns().into_iter();
                let keys = columns.map(|column| case.key(column)).collect();
                self.begin_runs(id, keys);
            }
            RunAction::Cancel => {
                self.cancel_run();
                self.say(Message::RunCancelled);
            }
            RunAction::Anew => {
                if let Some(going) = self.page.going.clone() {
                    self.cancel_run();
                    match going.tensors.is_empty() {
                        true => self.ask_runner(going.case, going.key, going.rest, going.until),
                        false => self.ask_for_values(going.case, going.key, going.tensors),
                    }
                }
            }
            RunAction::Values(tensors) => self.begin_values(id, tensors),
            RunAction::Corrupt(place) => self.corrupt(id, place),
            RunAction::Culprit(buffer) => {
                if let Some(case) = self.case_mut(id) {
                    case.hand.culprit.put(buffer);
                    case.hand.victim.put(None);
                }
            }
            RunAction::Victim(buffer) => {
                if let Some(case) = self.case_mut(id) {
                    case.hand.victim.put(buffer);
                }
            }
            RunAction::Import(file) => self.import(id, file),
        }
    }

    /// Confirms a column's plan, in view.
    pub(crate) fn confirm(&mut self, id: CaseId, column: Column) {
        if let Some(case) = self.case_mut(id) {
            case.runs.target.put(Some(column));
            if !case.shown.contains(&column) {
                self.show_column(id, column, true);
            }
        }
        let key = self.case(id).key(column);
        self.begin_runs(id, vec![key]);
    }

    /// Asks for a GPU as soon as a pane shows what needs one.
    pub(crate) fn follow_gpu(&mut self) {
        if *self.page.tab == Tab::RUN && *self.page.gpu == Gpu::Unasked {
            self.page.gpu.set(Gpu::Asked);
            self.effects.push(Effect::ProbeGpu);
        }
    }

    pub(crate) fn gpu(&mut self, found: Result<String, Missing>) {
        match found {
            Ok(name) => self.page.gpu.set(Gpu::There(name)),
            Err(missing) => {
                self.page.gpu.set(Gpu::Missing(missing));
                self.page.machine.put(MachineKind::Cpu);
            }
        }
    }

    /// The plans are others now: what was found of them, and what was changed by hand, says
    /// nothing any longer.
    pub(crate) fn forget_runs(&mut self, id: CaseId) {
        self.cancel_run_of(id);
        if let Some(case) = self.case_mut(id) {
            case.runs.shown.put(None);
            case.runs.outcomes.set(BTreeMap::new());
            case.runs.values.set(None);
            case.hand.edits.set(BTreeMap::new());
            case.hand.moving.put(None);
            case.hand.pins.set(BTreeMap::new());
            case.hand.past.set(Vec::new());
            case.hand.future.set(Vec::new());
            case.hand.partner.put(None);
            case.hand.culprit.put(None);
            case.hand.victim.put(None);
            case.hand.finishing.put(None);
            case.clear_insight();
            case.insight.known.set(BTreeMap::new());
        }
    }

    /// The plan that a column's strategy made is another one: what runs of it found says nothing
    /// any longer. A plan changed by hand stays, and so does what a run of it found.
    pub(crate) fn forget_run_of(&mut self, id: CaseId, column: Column) {
        self.drop_outcomes(id, (column, false));
    }

    /// What an earlier change of the plan did says nothing of this one.
    pub(crate) fn drop_outcome(&mut self, id: CaseId, column: Column) {
        if let Some(case) = self.case_mut(id) {
            case.runs.outcomes.remove(&(column, true));
        }
    }

    fn drop_outcomes(&mut self, id: CaseId, key: Key) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if case.runs.outcomes.contains_key(&key) {
            case.runs.outcomes.remove(&key);
            if *case.runs.shown == Some(key) {
                case.runs.shown.set(None);
            }
        }
    }

    pub(crate) fn cancel_run_of(&mut self, id: CaseId) {
        let going = self.page.going.as_ref();
        if going.is_some_and(|going| going.case == id) {
            self.cancel_run();
        }
    }

    pub(crate) fn cancel_run(&mut self) {
        if let Some(id) = self.counting {
            self.end_counting(id);
        }
        if self.page.going.is_some() {
            self.page.going.set(None);
            // The program is in the middle of something; another one starts with the next run.
            self.effects.push(Effect::EndRunner);
        }
    }

    /// Starts with the first of some plans, and keeps the others for later.
    fn begin_runs(&mut self, id: CaseId, mut keys: Vec<Key>) {
        self.cancel_run();
        if keys.is_empty() {
            return;
        }
        if *self.page.notice == Some(Notice::Said(Message::RunCancelled)) {
            self.page.notice.set(None);
        }
        let key = keys.remove(0);
        self.ask_runner(id, key, keys, None);
    }

    /// Asks the runner to confirm a plan, or its first steps.
    fn ask_runner(&mut self, case: CaseId, key: Key, rest: Vec<Key>, until: Option<usize>) {
        let Some(run) = self.fitting_question(case, key) else {
            return;
        };
        let run = Run { until, ..run };
        if let Some(case) = self.case_mut(case) {
            case.runs.shown.put(Some(key));
        }
        self.send_to_runner(case, key, rest, run, Vec::new());
    }

    /// Runs the plan that the buttons are about as far as these tensors are ready.
    fn begin_values(&mut self, id: CaseId, tensors: Vec<TensorId>) {
        if let Some(key) = self.stopped_for(id) {
            self.ask_for_values(id, key, tensors);
        }
    }

    /// The plan that the buttons are about, once nothing else runs.
    fn stopped_for(&mut self, id: CaseId) -> Option<Key> {
        let case = self.case(id);
        let key = case.target().map(|column| case.key(column))?;
        self.cancel_run();
        Some(key)
    }

    /// Asks the runner for the elements of tensors.
    fn ask_for_values(&mut self, case: CaseId, key: Key, tensors: Vec<TensorId>) {
        if let Some(run) = self.fitting_question(case, key) {
            self.send_to_runner(case, key, Vec::new(), run, tensors);
        }
    }

    /// The question, unless a file does not fit: it must not be replaced by the seed in silence.
    fn fitting_question(&mut self, case: CaseId, key: Key) -> Option<Run> {
        match self.inputs_fit(case) {
            true => self.question_to_runner(case, key),
            false => None,
        }
    }

    /// Whether every file fits the input that it is for; what does not is said.
    pub(crate) fn inputs_fit(&mut self, case: CaseId) -> bool {
        let Some((name, why)) = self.case(case).misfit() else {
            return true;
        };
        self.misfit(name, Why::Text(why));
        false
    }

    fn send_to_runner(
        &mut self,
        case: CaseId,
        key: Key,
        rest: Vec<Key>,
        run: Run,
        tensors: Vec<TensorId>,
    ) {
        self.run = self.run.wrapping_add(1);
        self.seen = None;
        let id = self.run;
        let fed = self.case(case).fed();
        self.page.going.set(Some(Going {
            case,
            key,
            machine: run.machine,
            seed: run.seed,
            fed,
            progress: None,
            rest,
            tensors: tensors.clone(),
            until: run.until,
        }));
        let files = self.case(case).files();
        let run = Box::new(run);
        let request = Box::new(match tensors.is_empty() {
            true => Request::Confirm { id, run },
            false => Request::Values { id, run, tensors },
        });
        self.effects.push(Effect::AskRunner(request, files));
        self.page.quiet.put(Quiet::default());
        self.effects.push(Effect::CountSecond(id));
    }

    fn question_to_runner(&self, id: CaseId, (column, corrupted): Key) -> Option<Run> {
        let case = self.case(id);
        let subject = &case.prepared.as_ref()?.subject;
        let program = subject.program.clone()?;
        let plan = case.planned(column)?.judged.plan.clone();
        let inputs = case.feeds(&program.graph);
        let machine = *self.page.machine;
        Some(Run {
            program,
            bindings: case.bindings.clone(),
            lifetimes: subject.lifetimes.clone(),
            plan,
            settings: *case.settings,
            machine,
            inputs,
            seed: *self.page.seed,
            corrupted,
            // The CPU reference is what runs there anyway.
            reference: *self.page.reference && machine == MachineKind::Gpu && !corrupted,
            naive: true,
            until: None,
        })
    }

    /// Counts the seconds without a sign of the run, as long as its question stands. Nothing is
    /// ended: compiling for a GPU and one step of the CPU reference may both take long.
    pub(crate) fn second(&mut self, id: u32, answered: bool) {
        let Some(going) = self.page.going.as_ref().filter(|_| self.run == id) else {
            return;
        };
        let progressed = going.progress != self.seen;
        self.seen = going.progress;
        let quiet = self.page.quiet.after(answered, progressed);
        self.page.quiet.put(quiet);
        self.effects.push(Effect::CountSecond(id));
    }

    /// The runner replies.
    pub(crate) fn ran(&mut self, reply: Reply) {
        let asked = self.run;
        match reply {
            Reply::Progress { id, progress } if id == asked => {
                self.counts_on(progress);
                if let Some(going) = self.page.going.as_mut() {
                    going.progress = Some(progress);
                }
            }
            Reply::Confirmed {
                id,
                report,
                adapter,
            } if id == asked => self.end_run(Ok(*report), adapter),
            Reply::Failed { id, failure } if id == asked => {
                self.end_run(Err(Trouble::Failure(failure)), None);
            }
            Reply::Zeros { id, zeros } if id == asked => self.counted(Ok(zeros)),
            Reply::Outputs { id, outputs, .. } if id == asked => self.end_values(Ok(outputs)),
            Reply::Panicked(words) => self.runner_died(planner::Message::verbatim(words)),
            // Of a question that was asked before, or by a test.
            _ => {}
        }
    }

    /// The runner has died: the next run starts another.
    pub(crate) fn runner_died(&mut self, words: planner::Message) {
        self.effects.push(Effect::EndRunner);
        self.end_run(Err(Trouble::Died(words)), None);
    }

    fn end_values(&mut self, outputs: Result<Vec<Output>, Trouble>) {
        let Some(going) = self.page.going.take() else {
            return;
        };
        let values = Values {
            key: going.key,
            machine: going.machine,
            seed: going.seed,
            tensors: going.tensors,
            outputs,
        };
        if let Some(case) = self.case_mut(going.case) {
            case.runs.values.set(Some(Arc::new(values)));
        }
    }

    fn end_run(&mut self, result: Result<Report, Trouble>, adapter: Option<Adapter>) {
        let result = match result {
            Err(why) if self.counting.is_some() => return self.counted(Err(why)),
            other => other,
        };
        let going = self.page.going.as_ref();
        if going.is_some_and(|going| !going.tensors.is_empty()) {
            return self.end_values(result.map(|_report| Vec::new()));
        }
        let Some(going) = self.page.going.take() else {
            return;
        };
        let refused = match &result {
            Err(Trouble::Failure(Failure::Run(RunError::Unavailable(why)))) => Some(why.clone()),
            _ => None,
        };
        let known = match &*self.page.gpu {
            Gpu::There(name) => name.clone(),
            _ => String::new(),
        };
        let adapter = adapter.map(|mut adapter| {
            if adapter.name.is_empty() {
                adapter.name = known;
            }
            adapter
        });
        let outcome = Outcome {
            machine: going.machine,
            seed: going.seed,
            fed: going.fed,
            adapter,
            result,
        };
        if let Some(case) = self.case_mut(going.case) {
            case.runs.outcomes.insert(going.key, Arc::new(outcome));
        }
        if let Some(why) = refused {
            self.page.gpu.set(Gpu::Refused(why));
            return;
        }
        let mut rest = going.rest;
        if !rest.is_empty() {
            let next = rest.remove(0);
            self.ask_runner(going.case, next, rest, None);
            return;
        }
        // What is shown in the end is about the plan that the picture shows.
        if let Some(case) = self.case_mut(going.case)
            && let Some(key) = case.target().map(|column| case.key(column))
            && case.runs.outcomes.contains_key(&key)
        {
            case.runs.shown.put(Some(key));
        }
    }
}

impl Case {
    /// The inputs that a file feeds: position and name of the file.
    #[must_use]
    pub fn fed(&self) -> Vec<(usize, String)> {
        let file = |(&position, feeding): (&usize, &Feeding)| match feeding {
            Feeding::File(name, _) => Some((position, name.clone())),
            Feeding::Seeded | Feeding::Misfit(..) => None,
        };
        self.runs.inputs.iter().filter_map(file).collect()
    }

    /// What each input of `graph` is fed with.
    pub(crate) fn feeds(&self, graph: &Graph) -> Vec<Feed> {
        let feed = |position: usize| match self.runs.inputs.get(&position) {
            Some(Feeding::File(_, elements)) => Feed::Elements(elements.to_vec()),
            Some(Feeding::Seeded | Feeding::Misfit(..)) | None => Feed::Seeded,
        };
        (0..graph.inputs.len()).map(feed).collect()
    }

    /// The files that the document was read from.
    pub(crate) fn files(&self) -> Vec<Content> {
        let source = self.queue.source.as_ref();
        let files = source.iter().flat_map(|source| &source.files);
        files.map(|file| file.content.clone()).collect()
    }

    /// A file for an input that does not fit: its name, and why.
    fn misfit(&self) -> Option<(String, planner::Message)> {
        self.runs.inputs.values().find_map(|feeding| match feeding {
            Feeding::Misfit(name, why) => Some((name.clone(), why.clone())),
            Feeding::Seeded | Feeding::File(..) => None,
        })
    }
}

impl State {
    /// Reads a file for an input; the input says when it does not fit.
    fn feed(&mut self, case: CaseId, position: usize, file: Given) {
        let prepared = self.case(case).prepared.as_ref();
        let wanted = prepared.and_then(|prepared| {
            let graph = prepared.subject.graph()?;
            let tensor = graph.tensor(*graph.inputs.get(position)?);
            Some((tensor.dtype, tensor.dims.clone()?))
        });
        if let Some((dtype, dims)) = wanted {
            self.effects.push(Effect::Feed {
                case,
                position,
                file,
                dtype,
                dims,
            });
        }
    }
}
