//! The graph of a case as text: what is typed, and what is planned of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use planner::Bytes;
use planner::load::{Format, LoadError, unpacked};
use planner::message::Argument;
use planner::save::packed;
use worker::{CaseId, Opened, Packed, Request, TextQuestion, Topic};

use crate::asks::Background;
use crate::model::appearance::Tab;
use crate::model::ask::Answer;
use crate::model::case::Case;
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::event::TextAction;
use crate::model::link::{Expected, Ignored, Known, LEFT_OUT};
use crate::model::notice::Message;
use crate::model::state::State;
use crate::model::text::{Before, Edited, Rewriting, TextFault};
use crate::model::timer::Timer;
use crate::model::worker_queue::{Envelope, QuestionKind};

/// The most bytes of a text that is edited.
pub const MOST_TEXT: usize = 1 << 20;

/// How long nothing is typed before a text is read, in milliseconds.
const REST_MS: u32 = 300;

/// The most bytes of a text that a link carries.
const MOST_LINKED: usize = 4 << 10;

impl State {
    pub(crate) fn edit_text(&mut self, id: CaseId, action: TextAction) {
        match action {
            TextAction::Type(text) => {
                let Some(case) = self.case_mut(id) else {
                    return;
                };
                let long = text.len() > MOST_TEXT;
                case.text.typed.put(Some(text));
                let number = case.typing();
                if long {
                    // The page says that it is not planned.
                    case.text.fault.put(None);
                    return;
                }
                let timer = Timer::Typed(id, number);
                self.effects.push(Effect::After(REST_MS, timer));
            }
            TextAction::Undo => {
                if !self.travel_text(id, true) {
                    self.say(Message::NothingToUndo);
                }
            }
            TextAction::Redo => {
                if !self.travel_text(id, false) {
                    self.say(Message::NothingToRedo);
                }
            }
            TextAction::AsOpened => {
                let Some(case) = self.case_mut(id) else {
                    return;
                };
                case.typing();
                case.text.typed.put(None);
                case.text.fault.put(None);
                self.rewrite(id, None, false);
            }
        }
    }

    /// Nothing was typed for a while.
    pub(crate) fn typed(&mut self, id: CaseId, number: u32) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if case.text.typings != number {
            return;
        }
        let Some(text) = case.text.typed.clone() else {
            return;
        };
        let text = Some(text).filter(|text| case.text.opened().as_ref() != Some(text));
        self.rewrite(id, text, false);
    }

    /// Goes one text back, or forth again; whether there is one. What is typed and cannot be read
    /// is gone back from, too.
    pub(crate) fn travel_text(&mut self, id: CaseId, back: bool) -> bool {
        let Some(case) = self.case_mut(id) else {
            return false;
        };
        let text = &mut case.text;
        let typed = (*text.typed).clone();
        let target = match (back, &typed) {
            (true, Some(_)) => Some((*text.planned).clone()),
            (true, None) => text.past.pop(),
            (false, _) => text.future.pop(),
        };
        let Some(target) = target else {
            return false;
        };
        match (back, typed) {
            (true, Some(typed)) => text.future.push(Some(typed)),
            (true, None) => {
                let now = (*text.planned).clone();
                text.future.push(now);
            }
            (false, Some(_)) => {}
            (false, None) => {
                let now = (*text.planned).clone();
                text.remember(now);
            }
        }
        text.typed.put(
            target
                .clone()
                .filter(|it| Some(it) != text.planned.as_ref()),
        );
        text.fault.put(None);
        case.typing();
        self.rewrite(id, target, true);
        true
    }

    /// Asks the worker to read a text in place of the graph, or the document as it was opened.
    fn rewrite(&mut self, id: CaseId, text: Edited, again: bool) {
        let reading = matches!(self.at_work(id), Some(QuestionKind::Rewriting(_)));
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if *case.text.planned == text && !reading {
            case.queue.rewrite = None;
            case.text.typed.put(None);
            case.text.fault.put(None);
            return;
        }
        case.queue.rewrite = Some(Rewriting { text, again });
        self.hurry();
    }

    /// Asks for the text once its tab is open.
    fn follow_text(&mut self) {
        if *self.page.tab != Tab::GRAPH {
            return;
        }
        let id = *self.active;
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if case.prepared.is_some() && *case.text.written.found == Answer::Unasked {
            let found = if case.holds_graph() {
                case.queue.asks.insert(Topic::Text);
                Answer::Working(0, 0)
            } else {
                Answer::Nothing
            };
            case.text.written.found.set(found);
        }
    }

    pub(crate) fn rewrite_question(&mut self, case: CaseId) -> Option<Envelope> {
        let rewriting = self.case_mut(case)?.queue.rewrite.take()?;
        let id = self.ask(case, QuestionKind::Rewriting(rewriting.clone()));
        let text = rewriting.text.map(|text| text.to_string());
        Some((Request::Rewrite { id, case, text }, Vec::new()))
    }

    /// The worker has read a text in place of the graph.
    pub(crate) fn rewritten(&mut self, id: CaseId, read: Rewriting, opened: Opened) {
        self.end_counting(id);
        let Some(case) = self.case_mut(id) else {
            return;
        };
        let Rewriting { text, again } = read;
        let before = (*case.text.planned).clone();
        if before.is_none() {
            let figures = case.figures_as_opened();
            case.text.before.put(figures);
        }
        if !again && before != text {
            case.text.remember(before);
            case.text.future.put(Vec::new());
        }
        // What has been typed since is still to be read.
        let shown = text.clone().or_else(|| case.text.opened());
        if *case.text.typed == shown {
            case.text.typed.put(None);
        }
        case.text.fault.put(None);
        case.plan_text(text);
        let symbols = &opened.symbols;
        let known = |name: &String| symbols.iter().any(|symbol| symbol.name == *name);
        if case.bindings.keys().any(|name| !known(name)) {
            case.bindings.retain(|name, _| known(name));
        }
        if let Some(file) = case.file.as_mut() {
            file.opened = Arc::new(opened);
        }
        let lacks = case.shown.iter().any(|column| !case.has(*column));
        if lacks {
            case.shown.retain(|column| *column != Column::Deployed);
        }
        // Its inputs may be others.
        case.runs.inputs.put(BTreeMap::new());
        let by_hand = !case.hand.edits.is_empty();
        if !again {
            case.hand.wanted.clear();
        }
        if by_hand {
            self.say(Message::EditsDropped);
        }
        self.replan(id);
    }

    /// The worker cannot read a text: what was planned stays.
    pub(crate) fn misread(&mut self, id: CaseId, read: Rewriting, error: LoadError) {
        let Some(case) = self.case_mut(id) else {
            return;
        };
        if case.text.typed.is_none() {
            case.text.typed.put(read.text);
        }
        let (line, column) = place(&error.place).unwrap_or_default();
        let fault = TextFault {
            line,
            column,
            error,
        };
        case.text.fault.put(Some(fault));
    }

    /// Unpacks the text that a link brings for the document that is opened next.
    pub(crate) fn unpack_text(&mut self) {
        if let Some(wish) = &mut self.opening.next
            && wish.source.text.is_none()
            && let Some(letters) = &wish.wanted.text
        {
            let ignored = no_text(letters);
            match unpacked(letters) {
                Ok(text) => wish.source.text = Some(text.into()),
                Err(_) => {
                    wish.wanted.text = None;
                    self.say_ignored(vec![ignored]);
                }
            }
        }
    }

    /// Plans the text that a link says of what is open; whether that is another one than now.
    pub(crate) fn text_as_linked(&mut self, id: CaseId, letters: &Edited) -> bool {
        if self.case(id).text.letters == *letters {
            return false;
        }
        let text = match letters {
            None => None,
            Some(letters) => match unpacked(letters) {
                Ok(text) => Some(text.into()),
                Err(_) => {
                    self.say_ignored(vec![no_text(letters)]);
                    return false;
                }
            },
        };
        let Some(case) = self.case_mut(id) else {
            return false;
        };
        case.typing();
        let now = (*case.text.planned).clone();
        case.text.remember(now);
        case.text.future.put(Vec::new());
        case.text.typed.put(None);
        self.rewrite(id, text, true);
        true
    }
}

impl Background for TextQuestion {
    fn follow(state: &mut State) {
        state.follow_text();
    }

    fn message(state: &mut State, case: CaseId) -> Option<Envelope> {
        let source = state.case(case).queue.source.as_ref();
        let files = source.into_iter().flat_map(|source| &source.files);
        let files = files.map(|file| file.content.clone()).collect();
        Some(state.ask_behind(case, Packed::new(&Self)?, files))
    }

    fn found(state: &mut State, case: CaseId, found: Packed<Option<String>>) -> Option<()> {
        let text = found.open()?;
        let written = text.map_or(Answer::Nothing, |text| Answer::There(text.into()));
        if let Some(case) = state.case_mut(case) {
            case.text.written.found.put(written);
        }
        Some(())
    }

    fn unanswered(state: &mut State, case: CaseId) {
        if let Some(case) = state.case_mut(case) {
            case.text.written.found.put(Answer::Nothing);
        }
    }
}

impl Case {
    /// Whether what is open is a graph, which can be written as text.
    #[must_use]
    pub fn holds_graph(&self) -> bool {
        self.file.as_ref().is_some_and(|file| {
            matches!(
                file.opened.format,
                Format::Onnx
                    | Format::Tflite
                    | Format::GraphText
                    | Format::LayersJson
                    | Format::Transformer
                    | Format::Gguf
                    | Format::Safetensors
                    | Format::ProgramJson
            )
        })
    }

    /// Begins with a text, which a link says with these letters.
    pub(crate) fn begin_text(&mut self, text: Edited, letters: Edited) {
        self.text.letters = letters.filter(|_| text.is_some());
        self.text.planned.put(text);
    }

    /// From now on this text is what is planned.
    pub(crate) fn plan_text(&mut self, text: Edited) {
        self.text.letters = text.as_ref().map(|text| match text.len() {
            ..=MOST_LINKED => packed(text).into(),
            _ => LEFT_OUT.into(),
        });
        if let Some(source) = &mut self.queue.source {
            source.text.clone_from(&text);
        }
        self.text.planned.put(text);
        // They were counted in another graph.
        if self.training.zeros.is_some() {
            self.training.zeros.set(None);
            self.queue.zeros = None;
        }
    }

    /// Another number for what is typed: what was typed before is not waited for any longer.
    fn typing(&mut self) -> u32 {
        self.text.typings = self.text.typings.wrapping_add(1);
        self.text.typings
    }

    /// The figures of what is planned now.
    fn figures_as_opened(&self) -> Option<Before> {
        let prepared = self.prepared.as_ref()?;
        let found_with = self.queue.found_with.clone()?;
        let columns = self.planned_columns().into_iter();
        let arena = |column| Some((column, self.planned(column)?.judged.plan.arena));
        Some(Before {
            found_with,
            arenas: columns.filter_map(arena).collect(),
            bound: prepared.bounds.offsets,
            peak: prepared
                .profile
                .highest()
                .map_or(Bytes(0), |(_, bytes)| bytes),
        })
    }
}

/// A link says that the graph was edited, and not how.
fn no_text(letters: &str) -> Ignored {
    Ignored {
        part: format!("graph={letters}"),
        known: Known::Kind(Expected::Graph),
    }
}

/// Line and column of a place in a text.
fn place(place: &planner::Message) -> Option<(usize, usize)> {
    if place.template() != "line {}, column {}" {
        return None;
    }
    let [Argument::Verbatim(line), Argument::Verbatim(column)] = place.arguments() else {
        return None;
    };
    Some((line.parse().ok()?, column.parse().ok()?))
}
