//! One value of a dimension or of the alignment after the other: what memory they need.

mod controls;
mod curves;
mod picture;
mod rows;
mod totals;

use std::sync::Arc;

use conversation::{Action, Column, Sweep, SweepAction};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use planner::sweep::{Point, csv, growth};

use crate::browser::files::{download, stem};
use crate::format;
use crate::lazy::export::{self, Encoding};
use crate::lazy::{EXPORT, tab};
use crate::state::driver::act;
use crate::state::session::{Session, session, to_f64};
use crate::sweep::curves::{Curves, name};
use crate::sweep::picture::{Drawn, Picture};

use crate::strings::{AnswerWord, FrameWord, SweepWord as W, filled};
use crate::text::linked::linked;

tab!(sweep, FrameWord::SweepTab, Sweeps);

/// Points are drawn so many milliseconds after they came, those of that time together.
const PACE_MS: u32 = 250;

/// The sweep of the case that tabs are about.
type Swept = Memo<Option<Sweep>>;

/// The tab.
#[component]
fn Sweeps() -> impl IntoView {
    let session = session();
    let latest = session.figures(|state| Option::clone(&state.active().sweep));
    let sweep = paced(latest);
    let width = RwSignal::new(0.0);
    let naive = RwSignal::new(true);
    let curves = Memo::new(move |_| {
        let curves = |sweep: &Sweep| Arc::new(Curves::new(session, sweep));
        sweep.with(|sweep| sweep.as_ref().map(curves))
    });
    let drawn = Memo::new(move |_| {
        let width = Some(width.get()).filter(|width| *width > 0.0);
        let curves = curves.get()?;
        Some(Drawn::new(session, &curves, naive.get(), width?))
    });
    let there = Memo::new(move |_| curves.with(Option::is_some));
    let empty = move || session.prepared.with(Option::is_none);
    view! {
        <div class="sweep">
            <Show when=empty>
                <p class="empty">{move || session.say(W::Nothing)}</p>
            </Show>
            {move || curves.get().and_then(|curves| answer(session, &curves))}
            <Show when=move || !empty()>
                <controls::Controls sweep/>
            </Show>
            {move || progress(session, sweep)}
            {move || outdated(session, sweep)}
            <Show when=move || there.get()>
                <Picture curves drawn width/>
                {move || curves.get().and_then(|curves| grows(session, &curves))}
                <totals::Totals sweep/>
                <Exports sweep drawn curves naive/>
                <rows::Rows sweep curves/>
            </Show>
        </div>
    }
}

/// The same, while points come a few times a second: each of them draws all curves anew.
fn paced(latest: Swept) -> Swept {
    let shown = RwSignal::new(latest.get_untracked());
    let waiting = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |_| {
        let now = latest.get();
        let goes_on = now.as_ref().is_some_and(Sweep::is_working);
        let same = shown.with_untracked(|it| it.as_ref().map(|it| Arc::as_ptr(&it.range)))
            == now.as_ref().map(|it| Arc::as_ptr(&it.range));
        if !goes_on || !same {
            waiting.set_value(None);
            shown.set(now);
        } else if waiting.with_value(Option::is_none) {
            let show = move || {
                waiting.set_value(None);
                shown.set(latest.get_untracked());
            };
            waiting.set_value(Some(Timeout::new(PACE_MS, show)));
        }
    });
    Memo::new(move |_| shown.get())
}

/// What was swept is forgotten where something else is chosen since.
fn outdated(session: Session, sweep: Swept) -> Option<impl IntoView> {
    let asked = sweep.with(Option::is_none) && session.case(conversation::Case::was_swept);
    asked.then(|| view! { <p role="status">{session.say(W::Outdated)}</p> })
}

/// How far it is, while it goes on or was stopped.
fn progress(session: Session, sweep: Swept) -> Option<impl IntoView> {
    let (done, total, part, stopped) = sweep.with(|sweep| {
        let sweep = sweep.as_ref()?;
        let (done, total) = (sweep.points.len(), sweep.range.values.len());
        (done < total).then_some((done as u64, total as u64, sweep.part, sweep.stopped))
    })?;
    let (word, button, action) = match stopped {
        true => (W::Stopped, W::GoOn, SweepAction::GoOn),
        false => (W::Working, W::Stop, SweepAction::Stop),
    };
    let says = filled(
        session.say(word),
        &[&format::grouped(done), &format::grouped(total)],
    );
    let per = part.1.max(1);
    let act = move |_| act(session, Action::Sweep(action.clone()));
    Some(view! {
        <p role="status" class="working">
            <progress max=(total * per).to_string() value=(done * per + part.0).to_string()></progress>
            {says}
            <button on:click=act>{session.say(button)}</button>
        </p>
    })
}

/// What eight times the value that is planned needs, or the largest that was swept.
fn answer(session: Session, curves: &Curves) -> Option<AnyView> {
    let curve = curves.curves.get(1).filter(|_| curves.curves.len() > 2)?;
    let now = curves::now(session, &curves.over);
    let at = |wanted: u64| {
        let place = curves.values.iter().position(|value| *value == wanted)?;
        Some((wanted, (*curve.bytes.get(place)?)?))
    };
    let found = curves.values.iter().zip(&curve.bytes);
    let found: Vec<(u64, u64)> = found
        .filter_map(|(value, it)| Some((*value, (*it)?)))
        .collect();
    let from = at(now).or_else(|| found.first().copied())?;
    let to = at(now.saturating_mul(8)).or_else(|| found.last().copied())?;
    let over = name(session, &curves.over);
    let bytes = format::bytes(to.1);
    if to.0 == from.0 {
        let one = [&over, &format::grouped(to.0), &curve.name, &bytes];
        let says = filled(session.say(AnswerWord::SweptOne), &one.map(String::as_str));
        return Some(said(session, curves, &says));
    }
    let same = found.iter().all(|it| it.1 == from.1);
    let says = match same.then(|| found.first().zip(found.last())).flatten() {
        Some((first, last)) => {
            let ends = [first.0, last.0].map(format::grouped);
            filled(
                session.say(AnswerWord::SweptSame),
                &[&curve.name, &bytes, &over, &ends[0], &ends[1]],
            )
        }
        None => {
            let ratio = ratio(to.1, from.1);
            let [value, before] = [to.0, from.0].map(format::grouped);
            let least = format::bytes(from.1);
            let values = [&over, &value, &curve.name, &bytes, &ratio, &least, &before];
            filled(
                session.say(AnswerWord::SweptTo),
                &values.map(String::as_str),
            )
        }
    };
    Some(said(session, curves, &says))
}

/// The sentence, whose strategy is shown by a click.
fn said(session: Session, curves: &Curves, says: &str) -> AnyView {
    let name = curves.curves.get(1).map(|it| it.name.clone());
    let column = name.as_ref().and_then(|it| it.parse::<Column>().ok());
    let words = name.zip(column);
    let words = words.map(|(name, column)| (name, Action::Show(column, true)));
    let says = linked(session, says, words.into_iter().collect());
    view! { <p class="answer">{says}</p> }.into_any()
}

/// How often `less` goes into `more`, with as many digits as tell it from once.
fn ratio(more: u64, less: u64) -> String {
    let ratio = to_f64(more) / to_f64(less.max(1));
    let shown = |digits: usize| {
        let text = format!("{ratio:.digits$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let tells = |text: &String| text != "1" && text != "0";
    (2..=6).map(shown).find(tells).unwrap_or_else(|| shown(2))
}

/// By how much the curves grow that are straight lines over all values.
fn grows(session: Session, curves: &Curves) -> Option<impl IntoView + use<>> {
    let over = name(session, &curves.over);
    let lines = curves.curves.iter().filter_map(|curve| {
        let bytes: Option<Vec<u64>> = curve.bytes.iter().copied().collect();
        let points: Vec<(u64, u64)> = curves.values.iter().copied().zip(bytes?).collect();
        let slope = i64::try_from(growth(&points)?).ok()?;
        let says = match slope {
            0 => filled(session.say(W::Constant), &[&curve.name]),
            _ => {
                let sign = if slope > 0 { "+" } else { "" };
                let bytes = format!("{sign}{}", format::signed(slope));
                filled(session.say(W::Grows), &[&curve.name, &bytes, &over])
            }
        };
        Some(view! { <li data-slope=slope.to_string()>{says}</li> })
    });
    let lines: Vec<_> = lines.filter(|_| curves.whole).collect();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="growth">
                <p>{session.say(W::Growth)}</p>
                <ul>{lines}</ul>
            </section>
        }
    })
}

/// What is drawn of it, and what it is taken away as.
#[component]
fn Exports(
    sweep: Swept,
    drawn: Memo<Option<Drawn>>,
    curves: Memo<Option<Arc<Curves>>>,
    naive: RwSignal<bool>,
) -> impl IntoView {
    let session = session();
    let picture = move |encoding: Encoding, kind: &'static str| {
        let both = drawn.get_untracked().zip(curves.get_untracked());
        let Some((drawn, curves)) = both else { return };
        let drawn = export::Drawn {
            slide: drawn.slide(),
            name: file_name(session, kind),
            title: untrack(|| picture::title(session, &curves)),
        };
        EXPORT.then(move |part| (part.drawn)(session, drawn, encoding));
    };
    let copy = move |_| act(session, Action::Copy(written(sweep)));
    let save = move |_| {
        let text = written(sweep);
        download(&file_name(session, "csv"), "text/csv", text.as_bytes());
    };
    view! {
        <p class="exports">
            <label class="check">
                <input
                    type="checkbox"
                    id="sweep-naive"
                    prop:checked=naive
                    on:change=move |event| naive.set(event_target_checked(&event))
                />
                <span>{move || session.say(W::DrawNaive)}</span>
            </label>
            <button data-export="copy" on:click=copy>{move || session.say(W::CopyCsv)}</button>
            <button data-export="csv" on:click=save>{move || session.say(W::SaveCsv)}</button>
            <button data-export="png" on:click=move |_| picture(Encoding::Png, "png")>{move || session.say(W::Png)}</button>
            <button data-export="svg" on:click=move |_| picture(Encoding::Svg, "svg")>{move || session.say(W::Svg)}</button>
        </p>
    }
}

/// The points so far, as the command prints them.
fn written(sweep: Swept) -> String {
    sweep.with_untracked(|sweep| {
        sweep.as_ref().map_or_else(String::new, |sweep| {
            let points = sweep.points.iter().map(|point| point.as_ref().clone());
            let points: Vec<Point> = points.collect();
            csv(&sweep.range.over, &points, &sweep.range.strategies)
        })
    })
}

fn file_name(session: Session, kind: &str) -> String {
    let document = session
        .file
        .with_untracked(|file| file.as_ref().map(|it| it.name.clone()));
    format!("{}.sweep.{kind}", stem(&document.unwrap_or_default()))
}
