//! What went wrong and what is at work: over the headline, so that no picture moves or is covered.

use crate::state::driver::act;
use crate::state::session::{Session, session};
use crate::text::fault::said;
use crate::text::refusal::why_not;
use conversation::PageAction;
use conversation::{Action, Dialog, Notice, Work};
use conversation::{KnownParts as Known, Why};
use leptos::prelude::*;
use planner::load::{Fault, LoadError};

use crate::document::constraints::Clashes;
use crate::format;
use crate::strings::{
    self, ConstraintWord, GivenWord, HandWord, HelpWord, LearnWord, Word, filled,
};

/// Work shows itself after this long, so that quick things do not flicker.
const SHOW_AFTER_MS: u32 = 200;

/// The notices.
#[component]
pub(crate) fn Notices() -> impl IntoView {
    view! {
        <div class="notices">
            <AtWork/>
            <Clashes/>
            <div aria-live="polite"><Message/></div>
        </div>
    }
}

/// What is at work for longer than a moment, and a way to stop it.
#[component]
fn AtWork() -> impl IntoView {
    let session = session();
    let late = RwSignal::new(false);
    let timer = StoredValue::new_local(None::<gloo::timers::callback::Timeout>);
    let busy = Memo::new(move |_| session.work.with(Work::is_busy));
    let stopped = Memo::new(move |_| session.work.with(|work| *work == Work::Stopped));
    Effect::new(move |_| {
        late.set(false);
        let wait = busy
            .get()
            .then(|| gloo::timers::callback::Timeout::new(SHOW_AFTER_MS, move || late.set(true)));
        // Dropping the timer of what has ended cancels it.
        timer.set_value(wait);
    });
    let text = move || match session.work.get() {
        Work::Idle | Work::Stopped => String::new(),
        Work::Opening(name) => filled(session.say(Word::Opening), &[&name]),
        Work::Preparing(..) => session.say(Word::Preparing).to_owned(),
        Work::Planning => session.say(Word::Planning).to_owned(),
    };
    // Without a value it only says that something is at work.
    let far = move |which: usize| match session.work.get() {
        Work::Preparing(done, total) if total > 0 => Some([done, total][which].to_string()),
        _ => None,
    };
    let far = move |which: usize| move || far(which);
    view! {
        <Show when=move || late.get() && busy.get()>
            <div class="work" role="status">
                <progress max=far(1) value=far(0)></progress>
                <span>{text}</span>
                <button on:click=move |_| act(session, Action::Cancel)>
                    {move || session.say(Word::Cancel)}
                </button>
            </div>
        </Show>
        <Show when=move || stopped.get()>
            <div class="work stopped" role="status">
                <span>{move || session.say(Word::PrepareStopped)}</span>
                <button on:click=move |_| act(session, Action::GoOn)>
                    {move || session.say(Word::PrepareAgain)}
                </button>
            </div>
        </Show>
    }
}

#[component]
fn Message() -> impl IntoView {
    let session = session();
    move || {
        let notice = session.notice.get();
        let waiting = waiting(session, notice.as_ref());
        if notice.is_none() && waiting.is_empty() {
            return None;
        }
        let shown = notice.as_ref().map(|notice| lines(session, notice));
        let (mut lines, wrong) = shown.unwrap_or_default();
        lines.extend(waiting);
        let role = if wrong { "alert" } else { "status" };
        let leads = |there: bool, dialog, word: &'static str| {
            let open = move |_| act(session, PageAction::Dialog(Some(dialog)));
            there.then(|| view! { " " <button class="link" on:click=open>{word}</button> })
        };
        let unknown = matches!(&notice, Some(Notice::Refused(_, error)) if error.kind == Fault::UnknownFormat);
        let how = leads(unknown, Dialog::Help, session.say(HelpWord::How));
        let asked = session.table.with(Option::is_some);
        let columns = leads(asked, Dialog::Columns, session.say(GivenWord::SayColumns));
        let many = matches!(&notice, Some(Notice::Refused(_, error)) if matches!(error.kind, Fault::Range(_)));
        let range = leads(many, Dialog::Columns, session.say(GivenWord::SayRange));
        let said = session.figures.with(Option::is_some);
        let figures = leads(said, Dialog::Columns, session.say(GivenWord::FiguresShow));
        let last = lines.pop();
        Some(view! {
            <div class="notice" class:wrong=wrong role=role>
                <div>
                    {lines.into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
                    // On the last line: a line more would have no room above the pictures.
                    <p>{last} {how} {columns} {range} {figures}</p>
                </div>
                <button
                    class="quiet"
                    on:click=move |_| act(session, Action::Dismiss)
                    aria-label=session.say(Word::Dismiss)
                >
                    "×"
                </button>
            </div>
        })
    }
}

/// What is said of files that wait for others, as far as `notice` does not say it itself.
fn waiting(session: Session, notice: Option<&Notice>) -> Vec<String> {
    let said = match notice {
        Some(Notice::Refused(name, error)) if error.kind == Fault::Partner => name.as_str(),
        _ => "",
    };
    let all = session.waiting.get().into_iter();
    let all = all.chain(session.completes.get());
    let unsaid = all.filter(|name| name != said);
    unsaid
        .map(|name| filled(session.say(GivenWord::Waits), &[&name]))
        .collect()
}

/// What is wrong with a file, and where in it; that it is the file is said already.
fn load_error(session: Session, error: &LoadError) -> String {
    let message = said(session, &error.message);
    match error.place == "file" {
        true => message,
        false => {
            let place = said(session, &error.place);
            filled(session.say(Word::At), &[&place, &message])
        }
    }
}

/// Why a file cannot be opened, where in it, and what to do about it.
fn refused(session: Session, name: &str, error: &LoadError) -> Vec<String> {
    let (fault, remedy) = strings::fault(error.kind);
    let refused = filled(session.say(Word::Refused), &[name]);
    let mut lines = vec![format!("{refused} {}", session.say(fault))];
    // What a text says of memory is shown as a table.
    if session.figures.with(Option::is_none) {
        lines.push(load_error(session, error));
        lines.push(session.say(remedy).to_owned());
    }
    if session.is_open() {
        lines.push(session.say(Word::StaysOpen).to_owned());
    }
    lines
}

/// What a notice says, and whether something is wrong.
fn lines(session: Session, notice: &Notice) -> (Vec<String>, bool) {
    let say = |word: Word| session.say(word).to_owned();
    let of = |word: Word, value: &str| vec![filled(session.say(word), &[value])];
    let lines = match notice {
        Notice::Refused(name, error) | Notice::BadLink(name, error) => {
            refused(session, name, error)
        }
        Notice::TooLarge(error) => of(Word::TooLargeNotice, &error.tensor),
        Notice::Unreachable(reason) => of(Word::Unreachable, &said(session, reason)),
        Notice::Crashed(reason) => of(Word::Crashed, &said(session, reason)),
        Notice::Missing(name) => of(Word::Missing, name),
        Notice::Reloaded(name) => of(Word::Reloaded, name),
        Notice::Ignored(parts) => {
            let mut lines = vec![session.say(ConstraintWord::LinkIgnored).to_owned()];
            lines.extend(parts.iter().map(|ignored| {
                let known = match &ignored.known {
                    Known::Names(names) => names,
                    Known::Kind(expected) => session.say(strings::expected(*expected)),
                };
                filled(
                    session.say(ConstraintWord::LinkPart),
                    &[&ignored.part, known],
                )
            }));
            return (lines, false);
        }
        Notice::EffortOutside => {
            let text = session.say(ConstraintWord::EffortOutside).to_owned();
            return (vec![text], false);
        }
        Notice::Misfit(name, why) => {
            let why = match why {
                Why::Text(text) => said(session, text),
                Why::Unreadable(error) => load_error(session, error),
                Why::Misses(buffer) => filled(session.say(Word::PlanMisses), &[buffer]),
                Why::NoPlan => say(Word::NoPlan),
            };
            vec![filled(session.say(Word::InputMisfit), &[name, &why])]
        }
        Notice::NoLesson(name, why) => {
            let why = said(session, why);
            vec![filled(session.say(LearnWord::NoLesson), &[name, &why])]
        }
        Notice::NotFinished(error) => vec![filled(
            session.say(HandWord::NotFinished),
            &[&why_not(session, error)],
        )],
        Notice::NotInCsv(pairs) => {
            let pairs = format::grouped(*pairs as u64);
            return (vec![filled(session.say(Word::NotInCsv), &[&pairs])], false);
        }
        Notice::Exported(arena) => {
            let bytes = format::grouped(arena.0);
            return (vec![filled(session.say(Word::Exported), &[&bytes])], false);
        }
        Notice::NotExported(why) => of(Word::NotExported, &said(session, why)),
        Notice::Said(message) => {
            let text = strings::message(*message, session.language.get());
            return (vec![text.to_owned()], false);
        }
    };
    (lines, true)
}
