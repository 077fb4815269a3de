//! What becomes of files that the worker has read, or could not read.

use std::sync::Arc;

use planner::load::{Fault, Figures, LoadError, Member, MemberContent, Table};
use planner::{Bytes, Settings, Sorting as _, Span};
use worker::{CaseId, Opened};

use crate::model::appearance::{Dialog, Tab};
use crate::model::case::{Case, OpenFile, Role};
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::given::{Content, Given, Memory};
use crate::model::link::{Expected, Fragment, Ignored, Known};
use crate::model::notice::{Notice, Why};
use crate::model::opening::{OpenTarget, Opening, Where, Wish};
use crate::model::state::State;
use crate::model::tracked::Tracked;

impl State {
    /// The worker has read the files of a case.
    pub(crate) fn opened(&mut self, id: CaseId, opened: Opened) {
        if let Some(case) = self.case_mut(id) {
            // Opened again after the worker was started anew: nothing else has changed.
            case.queue.held = true;
            case.queue.zeros_told = false;
            case.queue.stale = true;
            return;
        }
        let Some(wish) = self.opening.at_work.take() else {
            return;
        };
        let waiting = self.opening.waiting_for(wish.place);
        waiting.done(&wish.source.files);
        if let Some(visit) = wish.source.visit {
            self.opening.visits.keep(visit, &wish.source);
        }
        let (place, role) = (wish.place, wish.role);
        let (tab, film) = (wish.wanted.tab, wish.wanted.film);
        let view = saved_view(&opened, &wish.wanted, self.tabs);
        let case = self.new_case(id, opened, wish, view);
        self.put_case(case, place);
        if role != Role::Shown {
            return;
        }
        self.keep_what_a_link_said();
        match tab {
            Some(tab) => self.turn_to(tab),
            // The film was of another document: of this one its plans are seen first.
            None if place.at == Where::Instead && *self.page.tab == Tab::FILM => {
                self.page.tab.put(Tab::COMPARE);
            }
            None => {}
        }
        self.restore_film(id, film);
        self.open_older(id);
    }

    /// A case as it begins: as it is wanted, else as the file begins.
    fn new_case(&mut self, id: CaseId, opened: Opened, wish: Wish, wanted: Fragment) -> Case {
        let ignored = not_there(&wanted, &opened);
        self.say_ignored(ignored);
        let like = wish.like.map(|like| self.case(like));
        let told = like.and_then(|like| like.queue.zeros.clone());
        let zeros = like.and_then(|like| like.training.zeros.clone());
        let source = wish.source;
        let bytes = source.files.iter().map(|file| file.bytes).sum();
        // The same document in another way has the values that it was wished for with.
        let first = wish.like.is_none();
        let remembered = self.memory.bindings.get(&Memory::key(&source.name, bytes));
        let remembered = remembered.filter(|_| first);
        let mut bindings = remembered.cloned().unwrap_or_default();
        bindings.extend(wanted.bindings.clone());
        let known = |name: &String| opened.symbols.iter().any(|symbol| symbol.name == *name);
        bindings.retain(|name, value| known(name) && *value > 0);
        let mut shown = wanted.shown.clone();
        if let Some(shown) = &mut shown {
            shown.retain(|column| opened.deployed || *column != Column::Deployed);
        }
        let mut case = Case {
            id,
            role: wish.role,
            bindings: Tracked::new(bindings),
            undecided: shown.is_none() && !opened.deployed,
            shown: Tracked::new(shown.unwrap_or_else(|| Column::first(&opened))),
            query: Tracked::new(wanted.query.clone()),
            coloring: Tracked::new(wanted.coloring),
            own_scale: Tracked::new(wanted.own_scale),
            timed: Tracked::new(wanted.timed),
            window: Tracked::new(wanted.window),
            select: wanted.selected.clone(),
            look_at: wanted.step,
            ..Case::default()
        };
        case.insight.grouping.set(wanted.grouping);
        case.advice.wished = wanted.wish;
        case.set_up(&opened, &wanted);
        case.hand.wanted = wanted.handiwork;
        case.training.zeros.set(zeros);
        case.queue.zeros = told;
        case.queue.held = true;
        case.queue.stale = true;
        case.file.set(Some(OpenFile {
            name: source.name.clone(),
            sample: source.sample.clone(),
            shared: source.shared.clone(),
            visit: source.visit,
            bytes,
            opened: Arc::new(opened),
        }));
        let text = source.text.clone();
        case.queue.source = Some(source);
        case.begin_text(text, wanted.text);
        case
    }

    /// Puts a case where it was wanted, and takes the one away that it is in place of.
    fn put_case(&mut self, case: Case, place: OpenTarget) {
        // What it was to be in place of is gone, or was not open yet.
        let of = match self.known(place.of) {
            None if place.at == Where::Instead => *self.active,
            _ => place.of,
        };
        let place = OpenTarget { of, ..place };
        let (id, shown) = (case.id, case.is_shown());
        let compared = place.at == Where::Other && self.known(place.of).is_some();
        if compared && let Some(pair) = self.page.pair.take() {
            // One other dump at a time.
            self.close(pair.other(place.of));
        }
        let at = self.cases.iter().position(|it| it.id == place.of);
        match (place.at, at) {
            (Where::Instead, Some(at)) => {
                self.cases.insert(at, case);
                self.close(place.of);
            }
            _ => self.cases.push(case),
        }
        if compared {
            self.choose_arena(place.of, id);
            self.pair(id, place.of);
            self.active.put(place.of);
        } else if shown {
            self.active.set(id);
        }
        if place.at != Where::Instead && shown && *self.page.linked && !self.restoring {
            // Everything is in view that can be compared now.
            for case in &mut self.cases {
                case.window.put(None);
            }
        }
    }

    /// Takes a case off the page, with what is there for its sake.
    pub(crate) fn close(&mut self, id: CaseId) {
        let Some(at) = self.cases.iter().position(|case| case.id == id) else {
            return;
        };
        let pair = self.page.pair.clone();
        self.cancel_run_of(id);
        self.end_counting(id);
        self.cases.remove(at);
        self.unpair(id);
        let close = worker::Request::Close { case: id };
        self.effects.push(Effect::Ask(Box::new(close), Vec::new()));
        if self.at_work(id).is_some() {
            self.hurry();
        }
        // The other dump is there to be compared with what was open.
        if let Some(pair) = pair.filter(|pair| pair.after == id || pair.before == id) {
            let other = pair.other(id);
            if *self.active == id {
                self.close(other);
            }
        }
        self.close_figures(id);
        if *self.active == id {
            let next = self.cases.iter().find(|case| case.is_shown());
            let next = next.map(|case| case.id).unwrap_or_default();
            self.active.set(next);
        }
    }

    /// What is inside of packed files is opened in their place, with what waits for it.
    pub(crate) fn unpacked_files(&mut self, id: CaseId, members: Vec<Member>) {
        let Some(wish) = self.opening.at_work.take() else {
            // What was open was not packed: it has changed on the disk.
            self.give_up(id);
            return;
        };
        let files = &wish.source.files;
        let given = members
            .into_iter()
            .filter_map(|member| match member.content {
                MemberContent::Part(place) => files.get(place).cloned(),
                MemberContent::Unpacked(bytes) => Some(Given {
                    name: member.name,
                    bytes: bytes.len() as u64,
                    content: Content::Bytes(bytes.into()),
                }),
            });
        let given: Vec<Given> = given.collect();
        self.opening.order_unpacked(files, &given);
        let waiting = self.opening.waiting_for(wish.place);
        let mut attempts = waiting.attempts(given);
        attempts.extend(wish.instead);
        self.open_first_of(attempts, wish.retried, wish.place);
    }

    /// What was open stays. A file that needs another waits for it; one that does not belong to
    /// what waits is opened without it.
    pub(crate) fn refused(
        &mut self,
        id: CaseId,
        error: LoadError,
        (table, figures): (Option<Box<Table>>, Option<Box<Figures>>),
    ) {
        let Some(wish) = self.opening.at_work.take() else {
            // What could be read before cannot be read again: the file has changed on the disk.
            self.give_up(id);
            let name = self.case(id).file.as_ref().map(|file| file.name.clone());
            let notice = Notice::Refused(name.unwrap_or_default(), error);
            self.page.notice.set(Some(notice));
            return;
        };
        if error.kind == Fault::Apart && !wish.instead.is_empty() {
            self.open_first_of(wish.instead, wish.retried, wish.place);
            return;
        }
        let two = wish.source.files.len() == 2;
        if error.kind == Fault::Dumps && two && wish.place.at != Where::Other {
            self.open_both(wish);
            return;
        }
        self.opening.older = None;
        if error.kind == Fault::Partner {
            // What belongs to it may have come a moment before, and not have been answered then.
            let files = wish.source.files.clone();
            let attempts = self.opening.attempts(files, wish.place);
            if !wish.retried && attempts.len() > 1 {
                self.open_first_of(attempts, true, wish.place);
                return;
            }
            let waiting = self.opening.waiting_for(wish.place);
            waiting.keep(wish.source.files.clone());
        }
        let asks = matches!(error.kind, Fault::Range(_));
        let notice = Notice::Refused(wish.source.name.clone(), error);
        self.page.notice.set(Some(notice));
        if let Some(figures) = figures {
            self.page.figures.set(Some(Arc::from(figures)));
            self.page.dialog.put(Some(Dialog::Columns));
        } else if asks {
            self.ask_range(wish);
        } else if let Some(table) = table {
            self.ask_columns(wish, *table);
        }
    }

    /// Opens what waits for it with this range of its events.
    pub(crate) fn open_range(&mut self, range: Span) {
        if let Some(mut wish) = self.opening.tabular.take() {
            wish.source.range = Some(range);
            self.open(wish);
        }
    }

    /// Asks which of its events to hold.
    pub(super) fn ask_range(&mut self, wish: Wish) {
        self.page.dialog.put(Some(Dialog::Columns));
        self.opening.tabular = Some(wish);
    }

    /// What the page cannot do with a file that was given for something else.
    pub(crate) fn misfit(&mut self, name: String, why: Why) {
        self.page.notice.set(Some(Notice::Misfit(name, why)));
    }

    /// What a link named and the page does not have is still worth saying when something else is
    /// open; what was said of a file is not.
    fn keep_what_a_link_said(&mut self) {
        let of_link = |notice: &Notice| {
            matches!(
                notice,
                Notice::Missing(_)
                    | Notice::Reloaded(_)
                    | Notice::Ignored(_)
                    | Notice::BadLink(..)
                    | Notice::NoLesson(..)
            )
        };
        if self.page.notice.as_ref().is_some_and(|it| !of_link(it)) {
            self.page.notice.set(None);
        }
    }

    /// Says what of a link is left out, beside what was said so before.
    pub(crate) fn say_ignored(&mut self, more: Vec<Ignored>) {
        if more.is_empty() {
            return;
        }
        let notice = match self.page.notice.take() {
            // That the file is missing is worth more.
            Some(missing @ (Notice::Missing(_) | Notice::Reloaded(_))) => missing,
            Some(Notice::Ignored(mut all)) => {
                all.extend(more);
                all.dedup();
                Notice::Ignored(all)
            }
            _ => Notice::Ignored(more),
        };
        self.page.notice.set(Some(notice));
    }
}

impl Opening {
    /// What was unpacked comes in the order in which the packed ones were given, where each was one
    /// file, else in that of the archive.
    pub(super) fn order_unpacked(&mut self, packed: &[Given], unpacked: &[Given]) {
        let place = |name: &String| self.order.iter().position(|it| it == name);
        let each = packed.len() == unpacked.len();
        let given = |at: usize| {
            packed
                .get(at)
                .filter(|_| each)
                .and_then(|it| place(&it.name))
        };
        let names = unpacked.iter().enumerate();
        let names = names.map(|(at, file)| (given(at), file.name.clone()));
        let mut names: Vec<(Option<usize>, String)> = names.collect();
        names.order_by_key(|it| it.0);
        self.order = names.into_iter().map(|it| it.1).collect();
    }
}

impl Case {
    fn set_up(&mut self, opened: &Opened, wanted: &Fragment) {
        *self.settings = settings(opened, wanted);
        self.planning.pools.set(wanted.pools.clone());
        self.planning.effort.set(wanted.effort);
    }
}

/// The settings that are wanted, else those that the file begins with.
pub(crate) fn settings(opened: &Opened, wanted: &Fragment) -> Settings {
    let there = |&arena: &u32| has_arena(opened, arena);
    Settings {
        alignment: Bytes(wanted.alignment.unwrap_or(opened.alignment).max(1)),
        io: wanted.io.unwrap_or(opened.io),
        passes: wanted.passes,
        parallel: wanted.parallel,
        arena: wanted.arena.filter(there).unwrap_or(opened.arena),
        until: wanted.stage,
        training: wanted.training,
        largest_allocation: wanted.largest_allocation.map(Bytes),
    }
}

/// A plan that was saved with its view is shown so, unless another is asked for.
fn saved_view(opened: &Opened, wanted: &Fragment, tabs: &[Tab]) -> Fragment {
    if opened.view.is_empty() || *wanted != Fragment::default() {
        return wanted.clone();
    }
    Fragment::read(&opened.view, tabs).0
}

/// The first arena is there even where nothing is deployed.
pub(crate) fn has_arena(opened: &Opened, arena: u32) -> bool {
    arena == 0 || (arena as usize) < opened.arenas.len()
}

/// What a link says of a file that has no such thing.
fn not_there(wanted: &Fragment, opened: &Opened) -> Vec<Ignored> {
    let known = |name: &String| opened.symbols.iter().any(|symbol| symbol.name == *name);
    let unknown = wanted.bindings.iter().filter(|(name, _)| !known(name));
    let ignore = |part: String, expected: Expected| Ignored {
        part,
        known: Known::Kind(expected),
    };
    let mut ignored: Vec<Ignored> = unknown
        .map(|(name, value)| ignore(format!("bind={name}:{value}"), Expected::Bind))
        .collect();
    let shown = wanted.shown.as_ref();
    if !opened.deployed && shown.is_some_and(|shown| shown.contains(&Column::Deployed)) {
        let part = format!("show={}", Column::Deployed);
        ignored.push(ignore(part, Expected::NoPlan));
    }
    if let Some(arena) = wanted.arena.filter(|&arena| !has_arena(opened, arena)) {
        let part = format!("arena={arena}");
        ignored.push(ignore(part, Expected::Arena));
    }
    ignored
}
