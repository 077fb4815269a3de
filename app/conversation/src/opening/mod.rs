//! What is opened: files that a person gave, alone or together, samples, plans in links; in
//! place of a case, or beside those that are open.

mod opened;

use std::sync::Arc;

use planner::Sorting as _;
use planner::load::{Columns, Table, unpacked};
use worker::CaseId;

use crate::model::appearance::{Dialog, Tab};
use crate::model::case::Role;
use crate::model::column::Column;
use crate::model::effect::Effect;
use crate::model::given::{Given, Sample, joined};
use crate::model::link::Fragment;
use crate::model::notice::Notice;
use crate::model::opening::{Fetching, OpenTarget, Opening, Where, Wish};
use crate::model::source::Source;
use crate::model::state::State;
use crate::model::waiting::Waiting;

pub(crate) use opened::{has_arena, settings};

/// The sample that opens when the link names nothing.
const FIRST_SAMPLE: &str = "blazeface";

/// What a plan is called that a link brings without a name.
pub(crate) const SHARED: &str = "shared plan";

/// At most so many cases are open: each has plans and pictures of its own.
pub const MOST_CASES: usize = 8;

impl Opening {
    /// What is being opened for the person, if anything is.
    pub(crate) fn name(&self) -> Option<&str> {
        let wishes = self.next.as_ref().or(self.at_work.as_ref());
        let wish = wishes.filter(|wish| wish.role == Role::Shown);
        wish.map(|wish| wish.source.name.as_str())
    }

    /// Nothing more is opened.
    pub(crate) fn clear(&mut self) {
        self.asked = self.asked.wrapping_add(1);
        self.fetching = None;
        self.superseded = None;
        self.next = None;
        self.at_work = None;
        self.figures.clear();
        self.later.clear();
    }

    /// The files that wait to be opened at such a place.
    pub(super) fn waiting_for(&mut self, place: OpenTarget) -> &mut Waiting {
        match place.at {
            Where::Other => &mut self.other,
            Where::Instead | Where::Beside => &mut self.waiting,
        }
    }

    /// What to try for `given`, with what was given a moment before and with what waits.
    pub(super) fn attempts(&mut self, given: Vec<Given>, place: OpenTarget) -> Vec<Vec<Given>> {
        let before = self.superseded.take().map(|files| {
            let older = |kept: &Given| given.iter().all(|file| file.name != kept.name);
            let older = files.into_iter().filter(older);
            older.chain(given.iter().cloned()).collect::<Vec<Given>>()
        });
        let before = before.filter(|files| files.len() > given.len());
        let waiting = self.waiting_for(place).attempts(given);
        before.into_iter().chain(waiting).collect()
    }
}

impl State {
    /// The title of the sample that is being fetched.
    pub(crate) fn fetching(&self) -> Option<&str> {
        let fetching = self.opening.fetching.as_ref()?;
        Some(fetching.sample.title(*self.page.language))
    }

    /// Samples that are open are called as the language has them.
    pub(crate) fn rename_samples(&mut self) {
        let language = *self.page.language;
        for case in &mut self.cases {
            let Some(mut file) = (*case.file).clone() else {
                continue;
            };
            let sample = self
                .samples
                .iter()
                .find(|it| Some(&it.id) == file.sample.as_ref());
            let Some(sample) = sample else {
                continue;
            };
            sample.title(language).clone_into(&mut file.name);
            if let Some(source) = &mut case.queue.source {
                source.name.clone_from(&file.name);
            }
            case.file.set(Some(file));
        }
    }

    /// Opens files as one document, with those that wait for them.
    pub(crate) fn open_files(&mut self, of: CaseId, given: Vec<Given>, at: Where) {
        if given.is_empty() {
            return;
        }
        let place = OpenTarget { at, of };
        self.opening.order = given.iter().map(|file| file.name.clone()).collect();
        let attempts = self.opening.waiting_for(place).attempts(given);
        self.open_first_of(attempts, false, place);
    }

    /// Opens the first of `attempts`, and the others one after the other as long as files do not
    /// belong together.
    pub(super) fn open_first_of(
        &mut self,
        mut attempts: Vec<Vec<Given>>,
        retried: bool,
        place: OpenTarget,
    ) {
        if attempts.is_empty() {
            return;
        }
        let mut files = attempts.remove(0);
        // In whatever order they come, they are the same document.
        files.order_by(|a, b| a.name.cmp(&b.name));
        let name = joined(&files);
        let named = |wanted: &mut Fragment| wanted.file.as_deref() == Some(name.as_str());
        let wanted = self.opening.expected.take_if(named).unwrap_or_default();
        let source = Source {
            visit: Some(self.opening.visits.number()),
            sample: None,
            files,
            columns: wanted.columns.clone(),
            range: wanted.range,
            shared: None,
            text: None,
            name,
        };
        self.open(Wish {
            instead: attempts,
            retried,
            ..Wish::new(source, place, wanted)
        });
    }

    /// Opens the newer of two dumps, to be compared with the older one as soon as it is there.
    pub(super) fn open_both(&mut self, wish: Wish) {
        let mut files = wish.source.files;
        let order = &self.opening.order;
        files.order_by_key(|file| order.iter().position(|name| *name == file.name));
        let newer = files.pop();
        self.open_first_of(vec![newer.into_iter().collect()], wish.retried, wish.place);
        self.opening.older = files.pop();
    }

    /// The newer of two dumps is open as `id`.
    pub(super) fn open_older(&mut self, id: CaseId) {
        if let Some(older) = self.opening.older.take() {
            self.turn_to(Tab::DIFFERENCES);
            self.open_files(id, vec![older], Where::Other);
        }
    }

    /// Opens files again that were open under this name, those of this visit if they are still
    /// there; whether there are any.
    pub(crate) fn reopen(
        &mut self,
        visit: Option<u32>,
        wanted: &Fragment,
        place: OpenTarget,
    ) -> bool {
        let Some(source) = self.opening.visits.find(visit, wanted) else {
            return false;
        };
        // What was missing is here.
        if matches!(
            *self.page.notice,
            Some(Notice::Missing(_) | Notice::Reloaded(_))
        ) {
            self.page.notice.set(None);
        }
        self.open(Wish::new(source, place, wanted.clone()));
        true
    }

    /// Opens the plan that a link brings, packed.
    pub(crate) fn open_shared(&mut self, letters: &Arc<str>, wanted: Fragment, place: OpenTarget) {
        let name = wanted.file.clone().unwrap_or_default();
        match unpacked(letters) {
            Ok(text) => {
                let source = Source {
                    files: vec![Given::text(&name, &text)],
                    columns: Columns::default(),
                    range: None,
                    name,
                    sample: None,
                    visit: None,
                    shared: Some(Arc::clone(letters)),
                    text: None,
                };
                self.open(Wish::new(source, place, wanted));
            }
            Err(error) => {
                self.open_first_sample();
                self.page.notice.set(Some(Notice::BadLink(name, error)));
            }
        }
    }

    /// Opens the sample that opens when the link names nothing that can be shown, unless
    /// something is open.
    pub(crate) fn open_first_sample(&mut self) {
        if self.shown().next().is_none() {
            let place = self.instead();
            self.open_sample(place, first_sample());
        }
    }

    /// In place of what is looked at.
    pub(crate) fn instead(&self) -> OpenTarget {
        OpenTarget {
            at: Where::Instead,
            of: *self.active,
        }
    }

    /// Opens the sample that `wanted` names, and shows it as `wanted` says.
    pub(crate) fn open_sample(&mut self, place: OpenTarget, mut wanted: Fragment) {
        let named = |sample: &&Sample| Some(&sample.id) == wanted.sample.as_ref();
        let Some(sample) = self.samples.iter().find(named).cloned() else {
            self.open_first_sample();
            let name = wanted.sample.unwrap_or_default();
            self.page.notice.set(Some(Notice::Missing(name)));
            return;
        };
        self.suggest(&mut wanted);
        self.opening.asked = self.opening.asked.wrapping_add(1);
        let fetch = Effect::Fetch(self.opening.asked, sample.file.clone());
        self.effects.push(fetch);
        self.opening.fetching = Some(Fetching {
            sample,
            place,
            wanted,
        });
    }

    /// A sample was fetched, or could not be.
    pub(crate) fn fetched(&mut self, number: u32, file: Result<Given, planner::Message>) {
        if number != self.opening.asked {
            return;
        }
        let Some(fetching) = self.opening.fetching.take() else {
            return;
        };
        match file {
            Ok(file) => {
                let source = Source {
                    name: fetching.sample.title(*self.page.language).to_owned(),
                    sample: Some(fetching.sample.id),
                    files: vec![file],
                    columns: Columns::default(),
                    range: None,
                    visit: None,
                    shared: None,
                    text: None,
                };
                self.open(Wish::new(source, fetching.place, fetching.wanted));
            }
            Err(reason) => self.page.notice.set(Some(Notice::Unreachable(reason))),
        }
    }

    /// Binds and shows what the sample suggests where a link says nothing of that, so that a link
    /// shows the same whatever is open.
    pub(crate) fn suggest(&self, wanted: &mut Fragment) {
        let mut samples = self.samples.iter();
        let named = samples.find(|sample| Some(&sample.id) == wanted.sample.as_ref());
        let Some(sample) = named else {
            return;
        };
        if wanted.bindings.is_empty() {
            wanted.bindings = sample.bind.clone();
        }
        if wanted.shown.is_none() {
            let shown = sample.show.iter().filter_map(|name| name.parse().ok());
            let shown: Vec<Column> = shown.collect();
            wanted.shown = (!shown.is_empty()).then_some(shown);
        }
    }

    /// Opens the table that waits for it with columns that mean this.
    pub(crate) fn open_table(&mut self, columns: Columns) {
        if let Some(mut wish) = self.opening.tabular.take() {
            wish.source.columns = columns;
            self.open(wish);
        }
    }

    /// Asks what the columns of a table mean that could not be opened. Where it was said and the
    /// table cannot be read so, the message says why, and leads back to the question.
    pub(super) fn ask_columns(&mut self, wish: Wish, mut table: Table) {
        if wish.source.columns.0.is_empty() {
            self.page.dialog.put(Some(Dialog::Columns));
        } else {
            table.guess = wish.source.columns.clone();
        }
        self.page.table.set(Some(Arc::new(table)));
        self.opening.tabular = Some(wish);
    }

    /// Nobody has to say any longer what the columns of a table mean, nor to read figures.
    pub(crate) fn forget_table(&mut self) {
        self.opening.tabular = None;
        self.page.table.put(None);
        self.page.figures.put(None);
        if *self.page.dialog == Some(Dialog::Columns) {
            self.page.dialog.put(None);
        }
    }

    /// Opens something else; what was to be opened before is not.
    pub(crate) fn open(&mut self, wish: Wish) {
        self.forget_table();
        self.opening.older = None;
        self.opening.asked = self.opening.asked.wrapping_add(1);
        self.opening.fetching = None;
        let next = self.opening.next.take();
        let unanswered = next.or_else(|| self.opening.at_work.clone());
        let own = unanswered.filter(|wish| wish.source.visit.is_some());
        self.opening.superseded = own.map(|wish| wish.source.files);
        self.opening.next = Some(wish);
        self.hurry();
    }

    /// Puts the same document beside, to be prepared in another way.
    pub(crate) fn duplicate(&mut self, id: CaseId) {
        let place = OpenTarget {
            at: Where::Beside,
            of: id,
        };
        let room = self.shown().count() < MOST_CASES;
        let wish = self.like(id, place, self.fragment_of(id));
        let Some(wish) = wish.filter(|_| room) else {
            return;
        };
        self.opening.next = Some(wish);
        self.hurry();
    }

    /// A wish for the same document.
    pub(crate) fn like(
        &self,
        id: CaseId,
        place: OpenTarget,
        wanted: Option<Fragment>,
    ) -> Option<Wish> {
        let (case, wanted) = (self.case(id), wanted?);
        let mut source = case.queue.source.clone()?;
        let same = case.text.letters == wanted.text;
        if !same {
            source.text = None;
        }
        Some(Wish {
            like: same.then_some(id),
            ..Wish::new(source, place, wanted)
        })
    }
}

/// The sample that opens when the link names nothing.
pub(crate) fn first_sample() -> Fragment {
    Fragment {
        sample: Some(FIRST_SAMPLE.to_owned()),
        ..Fragment::default()
    }
}
