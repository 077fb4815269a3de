//! The search: a query with completion, what it finds, and what is wrong with it.
//!
//! The field is a combobox of the ARIA patterns: the focus stays in it, and the chosen
//! continuation is named by `aria-activedescendant`.

use crate::picture::look;
use crate::state::driver::act;
use crate::state::session::{Session, session};
use conversation::Action;
use leptos::html::Input;
use leptos::prelude::*;
use planner::query::{Candidate, Completion, QueryError, Sort, complete};
use web_sys::{Event, HtmlInputElement, KeyboardEvent};

use crate::format;
use crate::strings::{QueryWord, fault_of_query, field, filled};

/// Id of the field.
pub(crate) const SEARCH: &str = "search";

/// Id of the list of continuations; those of its lines follow from it.
const LIST: &str = "search-list";

/// Id of what is wrong.
const WRONG: &str = "search-wrong";

/// The list of continuations, when it is open.
#[derive(Clone, Debug, Default, PartialEq)]
struct Offer {
    completion: Completion,
    /// The line that is chosen, if one is.
    chosen: Option<usize>,
}

/// The field and all that it shows.
#[derive(Clone, Copy)]
struct Field {
    session: Session,
    input: NodeRef<Input>,
    offer: RwSignal<Option<Offer>>,
}

/// The search.
#[component]
pub(crate) fn Search() -> impl IntoView {
    let session = session();
    let here = Field {
        session,
        input: NodeRef::new(),
        offer: RwSignal::new(None),
    };
    let open = move || here.offer.with(Option::is_some);
    let chosen = move || here.offer.with(|offer| offer.as_ref()?.chosen);
    let wrong = Memo::new(move |_| session.lookup.parsed.get().err());
    let typed = move |event: Event| {
        act(session, Action::Search(event_target_value(&event)));
        here.offer(false);
    };
    view! {
        <div class="search" role="search">
            <div class="box">
                <input
                    id=SEARCH
                    node_ref=here.input
                    type="text"
                    role="combobox"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder=move || session.say(QueryWord::Search)
                    aria-label=move || session.say(QueryWord::Search)
                    aria-autocomplete="list"
                    aria-expanded=move || open().to_string()
                    aria-controls=LIST
                    aria-activedescendant=move || chosen().map(line_id)
                    aria-invalid=move || {
                        wrong.with(|it| it.as_ref().is_some_and(|it| !it.unfinished)).then_some("true")
                    }
                    aria-describedby=move || wrong.with(Option::is_some).then_some(WRONG)
                    prop:value=move || session.query.get()
                    on:input=typed
                    on:keydown=move |event| here.pressed(&event)
                    on:blur=move |_| here.offer.set(None)
                />
                <Offers here/>
                {move || (!open()).then(|| wrong.get().map(|error| query_error(session, &error)))}
            </div>
            <Count/>
        </div>
    }
}

/// How many it finds, and how large they are.
#[component]
fn Count() -> impl IntoView {
    let session = session();
    let numbers = Memo::new(move |_| {
        let found = session.lookup.found.get()?;
        let all = session.with_lifetimes(|lifetimes| lifetimes.buffers.len())?;
        Some([
            format::grouped(found.buffers.len() as u64),
            format::grouped(all as u64),
            format::bytes(found.bytes),
            format::bytes(found.at_peak),
        ])
    });
    let fill = move |word: QueryWord| {
        let numbers = numbers.get()?;
        let numbers = numbers.each_ref().map(String::as_str);
        Some(filled(session.say(word), &numbers))
    };
    let at_peak = move || {
        let numbers = numbers.get()?;
        Some(filled(session.say(QueryWord::AtPeak), &[&numbers[3]]))
    };
    view! {
        <output for=SEARCH title=move || fill(QueryWord::FoundHint) hidden=move || numbers.with(Option::is_none) || session.hides_something()>
            <span>{move || fill(QueryWord::Found)}</span>
            <span class="peak">{at_peak}</span>
        </output>
    }
}

/// The list under the field.
#[component]
fn Offers(here: Field) -> impl IntoView {
    let session = here.session;
    let candidates = Memo::new(move |_| {
        here.offer.with(|offer| {
            let offer = offer.as_ref();
            offer
                .map(|offer| offer.completion.candidates.clone())
                .unwrap_or_default()
        })
    });
    let chosen = move || here.offer.with(|offer| offer.as_ref()?.chosen);
    let line = move |(index, candidate): (usize, Candidate)| {
        let says = says(session, candidate.sort);
        // Before the field loses the focus, which would close the list.
        let take = move |event: web_sys::PointerEvent| {
            event.prevent_default();
            here.take(index);
        };
        view! {
            <li
                role="option"
                id=line_id(index)
                aria-selected=move || (chosen() == Some(index)).to_string()
                on:pointerdown=take
            >
                <code>{candidate.text}</code>
                <span>{says}</span>
            </li>
        }
    };
    let lines = move || {
        candidates
            .get()
            .into_iter()
            .enumerate()
            .map(line)
            .collect_view()
    };
    Effect::new(move |_| {
        let line = chosen().and_then(|index| document().get_element_by_id(&line_id(index)));
        if let Some(line) = line {
            line.scroll_into_view_with_bool(false);
        }
    });
    view! {
        <ul
            id=LIST
            role="listbox"
            aria-label=move || session.say(QueryWord::Continuations)
            hidden=move || here.offer.with(Option::is_none)
        >
            {lines}
        </ul>
    }
}

/// What a continuation is, in words.
fn says(session: Session, sort: Sort) -> String {
    let word = match sort {
        Sort::Field(known) => field(known),
        Sort::Keyword => QueryWord::Keyword,
        Sort::Comparison => QueryWord::Sign,
        Sort::Value(count) => {
            return filled(
                session.say(QueryWord::Of),
                &[&format::grouped(count as u64)],
            );
        }
        Sort::Unit => QueryWord::Unit,
        Sort::Flag => QueryWord::FlagSort,
        Sort::Step => QueryWord::Step,
    };
    session.say(word).to_owned()
}

/// The query with what is wrong in it marked, and why. What may only not be finished is said
/// in a low voice.
fn query_error(session: Session, error: &QueryError) -> impl IntoView + use<> {
    let query = session.query.get();
    let part = |range: std::ops::Range<usize>| query.get(range).unwrap_or_default().to_owned();
    let before = part(0..error.span.start);
    // A missing part is marked by the place where it belongs.
    let marked = match part(error.span.clone()) {
        nothing if nothing.is_empty() => "\u{a0}".to_owned(),
        marked => marked,
    };
    let after = part(error.span.end..query.len());
    let column = error.column.to_string();
    let why = fault_of_query(session.language.get(), error.fault);
    let why = filled(session.say(QueryWord::Column), &[&column, &why]);
    view! {
        <div class="wrong" class:soft=error.unfinished id=WRONG data-column=column>
            <code aria-hidden="true">{before}<mark>{marked}</mark>{after}</code>
            <p>{why}</p>
        </div>
    }
}

fn line_id(index: usize) -> String {
    format!("{LIST}-{index}")
}

impl Field {
    /// Opens the list of continuations at the cursor, or closes it where there are none.
    /// Nothing is offered for an empty query unless it is asked for.
    fn offer(self, asked: bool) {
        let session = self.session;
        let offer = self.input.get_untracked().and_then(|input| {
            let text = input.value();
            let texts = session.lookup.texts.get_untracked()?;
            if text.trim().is_empty() && !asked {
                return None;
            }
            let completion = complete(&text, cursor(&input, &text), &texts.0);
            (!completion.candidates.is_empty()).then_some(Offer {
                completion,
                chosen: None,
            })
        });
        self.offer.set(offer);
    }

    fn pressed(self, event: &KeyboardEvent) {
        let session = self.session;
        let offer = self.offer.get_untracked();
        match (event.key().as_str(), offer) {
            // Half a word of an input method is not to be acted on.
            _ if event.is_composing() => return,
            ("ArrowDown", None) => self.offer(true),
            ("ArrowDown", Some(_)) => self.choose(true),
            ("ArrowUp", Some(_)) => self.choose(false),
            (
                "Enter",
                Some(Offer {
                    chosen: Some(index),
                    ..
                }),
            ) => self.take(index),
            ("Enter", _) => {
                self.offer.set(None);
                let direction = if event.shift_key() { -1 } else { 1 };
                look::step_match(session, direction);
            }
            ("Escape", Some(_)) => self.offer.set(None),
            ("Escape", None) => act(session, Action::Search(String::new())),
            // With nothing begun and nothing chosen, Tab goes on as everywhere.
            ("Tab", Some(offer)) if !event.shift_key() && offer.is_begun() => {
                self.take(offer.chosen.unwrap_or_default());
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// Chooses the next or the previous line.
    fn choose(self, next: bool) {
        self.offer.update(|offer| {
            let Some(offer) = offer else { return };
            let count = offer.completion.candidates.len().max(1);
            offer.chosen = Some(match (offer.chosen, next) {
                (None, true) => 0,
                (None, false) => count - 1,
                (Some(index), true) => (index + 1) % count,
                (Some(index), false) => (index + count - 1) % count,
            });
        });
    }

    /// Writes a continuation and a space, and offers what may follow.
    fn take(self, index: usize) {
        let (Some(input), Some(offer)) = (self.input.get_untracked(), self.offer.get_untracked())
        else {
            return;
        };
        let text = input.value();
        let Completion { range, candidates } = offer.completion;
        let (Some(candidate), Some(before), Some(after)) = (
            candidates.get(index),
            text.get(..range.start),
            text.get(range.end..),
        ) else {
            return;
        };
        let before = format!("{before}{} ", candidate.text);
        let text = format!("{before}{}", after.trim_start());
        input.set_value(&text);
        let place = u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX);
        // Fails only for a field that has no text.
        let _ = input.set_selection_range(place, place);
        act(self.session, Action::Search(text));
        self.offer(false);
    }
}

impl Offer {
    /// Whether a line is chosen or some letters of one are written.
    fn is_begun(&self) -> bool {
        self.chosen.is_some() || !self.completion.range.is_empty()
    }
}

/// The cursor as bytes of `text`: the browser counts UTF-16.
fn cursor(input: &HtmlInputElement, text: &str) -> usize {
    let units = input.selection_start().ok().flatten();
    let Some(units) = units.and_then(|units| usize::try_from(units).ok()) else {
        return text.len();
    };
    let mut passed = 0;
    for (at, sign) in text.char_indices() {
        if passed >= units {
            return at;
        }
        passed += sign.len_utf16();
    }
    text.len()
}
