//! The verdict in words, the figures behind it, and every buffer of the run.

use crate::state::run::{main_finding, own_run};
use crate::state::session::{Session, session, to_f64};
use conversation::{Action, Going, Key, Outcome, Progress, Tab};
use executor::verify::report::{
    Agreement, BeforePasses, Finding, MachineInfo, Reference, Report, Verdict,
};
use leptos::prelude::*;
use planner::training::estimate::measured::{compare, of_ledger};
use planner::training::estimate::run::planned_run;
use planner::{Bytes, Message, Parallel};

use super::bars::bars;
use super::buffers::buffers;
use super::finding::sentence;
use super::trouble::trouble;
use super::{machine, name};
use crate::format;
use crate::strings::{AnswerWord, ValueWord, Word, filled};
use crate::text::fault::said;
use crate::text::linked::linked;
use crate::text::measured;
use crate::text::title::plain_title;

/// At most this many findings are listed.
const LISTED: usize = 20;

#[component]
pub(super) fn OutcomeView() -> impl IntoView {
    let session = session();
    let own = move |goes: &dyn Fn(Key) -> bool| {
        let active = session.active.get();
        let goes =
            |going: &Option<Going>| own_run(going.as_ref(), active).is_some_and(|it| goes(it.key));
        session.runs.going.with(goes)
    };
    let waits = move || own(&|_| true);
    let going = move |key: Key| own(&|going| going == key);
    let body = move || match session.runs.outcome() {
        // What was found before says nothing of the run that goes on.
        Some((key, _)) if going(key) => ().into_any(),
        Some((key, outcome)) => shown(session, key, &outcome).into_any(),
        None if waits() => ().into_any(),
        None => view! { <p class="empty">{session.say(Word::NotRunYet)}</p> }.into_any(),
    };
    view! { <div class="outcome" aria-live="polite">{body}</div> }
}

/// What a run has found of the plan that is looked at, and of all that were run; before any, what
/// there is to find.
pub(super) fn answer(session: Session) -> Option<impl IntoView + use<>> {
    let column = session.target()?;
    let outcome = session.runs.outcome();
    let ran = outcome.and_then(|(key, outcome)| {
        let report = outcome.result.as_ref().ok()?;
        let (word, _) = verdict_word(&report.verdict);
        let who = format!(
            "{} · {}",
            name(session, key),
            machine(session, outcome.machine)
        );
        let bytes = format::bytes(report.promised.0);
        let ran = [&who, session.say(word), &bytes];
        let ran = filled(session.say(AnswerWord::Ran), &ran);
        let finding = main_finding(report).map(|it| sentence(session, it));
        Some([ran].into_iter().chain(finding).collect::<Vec<_>>())
    });
    // What was changed by hand is no plan of a strategy.
    let by_hand = session.runs.shown.get().is_some_and(|(_, edited)| edited);
    let tally = session.runs.outcomes.with(|all| {
        let own = || all.iter().filter(|((_, edited), _)| !edited);
        let confirmed = own().filter(|(_, it)| {
            let report = it.result.as_ref();
            report.is_ok_and(|report| matches!(report.verdict, Verdict::Confirmed))
        });
        let is_planned = |plan: &&Progress| plan.planned().is_some();
        let plans = session
            .plans
            .with(|it| it.values().filter(is_planned).count());
        let counts = [own().count(), plans, confirmed.count()];
        let counts = counts.map(|it| format::grouped(it as u64));
        let says = session.say(AnswerWord::RanAll);
        let several = own().count() > 1 && !by_hand;
        several.then(|| filled(says, &counts.each_ref().map(String::as_str)))
    });
    let mut says = ran.unwrap_or_default();
    says.extend(tally);
    if says.is_empty() {
        if session.runs.outcome().is_some() {
            return None;
        }
        let bytes = session.planned(column)?.judged.plan.arena.0;
        let name = plain_title(session, column);
        let promised = [name.as_str(), &format::bytes(bytes)];
        says.push(filled(session.say(AnswerWord::Promised), &promised));
    }
    let says = says.join(session.say(AnswerWord::Then));
    // The plan is shown, and what makes its bytes is explained.
    let taken = session.planned(column).map(|it| it.judged.plan.arena.0);
    let words = vec![
        (plain_title(session, column), Action::Show(column, true)),
        (
            format::bytes(taken.unwrap_or_default()),
            Action::Turn(Tab::WASTE),
        ),
    ];
    Some(view! { <p class="answer" data-answer="run">{linked(session, &says, words)}</p> })
}

fn shown(session: Session, key: Key, outcome: &Outcome) -> impl IntoView + use<> {
    let who = format!(
        "{} · {}",
        name(session, key),
        machine(session, outcome.machine)
    );
    match &outcome.result {
        Ok(report) => {
            let (word, class) = verdict_word(&report.verdict);
            view! {
                <div class=format!("verdict {class}") data-verdict=class>
                    <h3><b>{session.say(word)}</b> " " <span class="size">{who}</span></h3>
                    {reasons(session, report)}
                    {other_inputs(session, outcome)}
                </div>
                {bars(session, report)}
                {facts(session, outcome, report)}
                {buffers(session, report)}
                {beside(session, key, report)}
            }
            .into_any()
        }
        Err(why) => view! {
            <div class="verdict failed" data-verdict="failed">
                <h3><b>{session.say(Word::RunFailed)}</b> " " <span class="size">{who}</span></h3>
                {trouble(session, why)}
            </div>
        }
        .into_any(),
    }
}

/// What the plan says of the run's buffers beside what the run made; nothing of a plan that was
/// changed by hand.
fn beside(
    session: Session,
    (column, edited): Key,
    report: &Report,
) -> Option<impl IntoView + use<>> {
    let prepared = session.prepared.get()?;
    let subject = &prepared.subject;
    let plan = (!edited).then(|| session.planned(column))??;
    let program = subject.program.as_ref()?;
    let found = planned_run(program, &subject.lifetimes, &plan.judged.plan);
    let labels = report
        .ledger
        .iter()
        .map(|it| (it.label.to_string(), it.bytes));
    let labels: Vec<(String, Bytes)> = labels.collect();
    let entries = labels.iter().map(|it| (&*it.0, it.1));
    let all = compare(&found, &of_ledger(entries));
    Some(measured::errors(session, &all))
}

/// Says so when other inputs have been chosen since the run.
fn other_inputs(session: Session, outcome: &Outcome) -> impl IntoView + use<> {
    let (seed, fed) = (outcome.seed, outcome.fed.clone());
    let runs = session.runs;
    move || {
        let other = runs.seed.get() != seed || session.fed() != fed;
        other.then(|| view! { <p role="status">{session.say(Word::OtherInputs)}</p> })
    }
}

/// The word for a verdict, and its name in the style sheet and for tests.
pub(super) fn verdict_word(verdict: &Verdict) -> (Word, &'static str) {
    match verdict {
        Verdict::Confirmed => (Word::Confirmed, "confirmed"),
        Verdict::Refuted => (Word::Refuted, "refuted"),
        Verdict::Incomplete(_) => (Word::Incomplete, "incomplete"),
    }
}

/// Words of the outputs that differ, in the worst of the runs.
pub(super) fn differing(report: &Report) -> u64 {
    let runs = report.runs.iter().map(|run| run.differing);
    let audit = report.audit.iter().map(|audit| audit.differing);
    runs.chain(audit).max().unwrap_or_default()
}

/// What the verdict rests on.
fn reasons(session: Session, report: &Report) -> AnyView {
    let say = |word: Word| session.say(word).to_owned();
    let mut lines = Vec::new();
    match &report.verdict {
        Verdict::Confirmed => {
            let padding = report.promised.0.saturating_sub(report.reach.0);
            let says = if report.allocated != report.promised {
                say(Word::ConfirmedWords)
            } else if padding > 0 {
                let padding = format::exact(padding);
                match report.counts.is_empty() {
                    true => filled(session.say(Word::ConfirmedPadded), &[&padding]),
                    false => filled(session.say(ValueWord::ConfirmedRoom), &[&padding]),
                }
            } else {
                say(Word::ConfirmedSays)
            };
            lines.push((says, "claim"));
            lines.push((say(Word::ConfirmedBits), ""));
            if padding > 0 && report.counts.is_empty() {
                let padding = format::exact(padding);
                lines.push((filled(session.say(Word::ConfirmedPadding), &[&padding]), ""));
            }
        }
        Verdict::Incomplete(why) => {
            lines.push((
                filled(session.say(Word::IncompleteSays), &[&said(session, why)]),
                "",
            ));
        }
        Verdict::Refuted => {
            if let Some(finding) = main_finding(report) {
                lines.push((sentence(session, finding), "claim"));
            }
            lines.extend(
                contradictions(session, report)
                    .into_iter()
                    .map(|line| (line, "")),
            );
        }
    }
    lines.extend(apart(session, report).into_iter().map(|line| (line, "")));
    if session
        .settings
        .with_untracked(|settings| settings.parallel != Parallel::Serial)
    {
        lines.push((session.say(ValueWord::WasSerial).to_owned(), ""));
    }
    if let Some(until) = report.until {
        let count = format::grouped(until as u64);
        lines.push((filled(session.say(ValueWord::RanUntil), &[&count]), ""));
    }
    for count in &report.counts {
        let [found, most] = [count.found, count.most].map(format::grouped);
        let values = [&count.kind, &found, &count.tensor, &most].map(String::as_str);
        lines.push((filled(session.say(ValueWord::Counted), &values), ""));
    }
    lines.extend(
        arithmetic(session, report)
            .into_iter()
            .map(|line| (line, "")),
    );
    let lines = lines
        .into_iter()
        .map(|(line, class)| view! { <p class=class>{line}</p> });
    view! { {lines.collect_view()} {findings(session, report)} }.into_any()
}

/// Figures that contradict each other.
fn contradictions(session: Session, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let differing = differing(report);
    if differing > 0 {
        let count = format::grouped(differing);
        lines.push(filled(session.say(Word::RefutedWords), &[&count]));
    }
    let pair = |word: Word, one: Bytes, other: Bytes| {
        filled(
            session.say(word),
            &[&format::exact(one.0), &format::exact(other.0)],
        )
    };
    // A buffer is whole words.
    if report.promised.align_up(Bytes(4)) != Some(report.allocated) {
        lines.push(pair(
            Word::RefutedAllocated,
            report.promised,
            report.allocated,
        ));
    }
    let touched = report.audit.as_ref().ok().map(|audit| audit.touched);
    if let Some(touched) = touched.filter(|touched| *touched != report.reach) {
        lines.push(pair(Word::RefutedTouched, report.reach, touched));
    }
    lines
}

/// The findings that the first sentence has not named.
fn findings(session: Session, report: &Report) -> Option<impl IntoView + use<>> {
    let all: &[Finding] = report.audit.as_ref().map_or(&[], |audit| &audit.findings);
    let main = main_finding(report)?;
    let others: Vec<&Finding> = all.iter().filter(|finding| *finding != main).collect();
    if others.is_empty() {
        return None;
    }
    let more = others.len().saturating_sub(LISTED);
    let rows = others.into_iter().take(LISTED);
    let rows = rows.map(|finding| view! { <li>{sentence(session, finding)}</li> });
    let more = (more > 0).then(|| {
        let more = filled(session.say(Word::AndMore), &[&format::grouped(more as u64)]);
        view! { <li>{more}</li> }
    });
    Some(view! { <ul class="findings">{rows.collect_view()} {more}</ul> })
}

fn facts(session: Session, outcome: &Outcome, report: &Report) -> impl IntoView + use<> {
    let mut rows: Vec<(Word, String)> = Vec::new();
    if let Some(time) = fastest(report) {
        rows.push((Word::RunTime, sampled(session, time, report.runs.len())));
    }
    match &report.naive {
        Ok(naive) => rows.push((
            Word::NaiveTime,
            sampled(session, naive.time, naive.runs as usize),
        )),
        Err(why) => rows.push((Word::NaiveArena, said(session, why))),
    }
    if let Ok(audit) = &report.audit {
        rows.push((Word::AuditTime, sampled(session, audit.time, 1)));
    }
    rows.push((Word::Moved, format::bytes(report.moved.0)));
    if let Some(time) = fastest(report).filter(|time| *time > 0.0) {
        let rate = to_f64(report.moved.0) / time / 1e6;
        rows.push((Word::Bandwidth, format!("{rate:.2} GB/s")));
    }
    if let Some(reference) = &report.reference {
        let [abs, rel] = [reference.max_abs, reference.max_rel].map(|it| format!("{it:.1e}"));
        let text = filled(session.say(Word::DeviationIs), &[&abs, &rel]);
        rows.push((Word::Deviation, text + &unlike(session, reference)));
    }
    if let Some(before) = &report.before_passes {
        rows.push((Word::BeforePasses, before_passes(session, before)));
    }
    rows.push((Word::Weights, weights(session, report)));
    if let MachineInfo::Gpu {
        adapter,
        backend,
        max_binding,
        reserved,
    } = &report.machine
    {
        let named = outcome.adapter.as_ref().map(|adapter| adapter.name.clone());
        let name = Some(adapter.clone())
            .filter(|name| !name.is_empty())
            .or(named);
        let name = name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "–".to_owned());
        rows.push((Word::AdapterColumn, format!("{name} · {backend}")));
        rows.push((Word::Limits, format::bytes(max_binding.0)));
        if let Some(reserved) = reserved {
            rows.push((Word::DriverReserved, format::bytes(reserved.0)));
        }
    }
    rows.push((Word::Seed, outcome.seed.to_string()));
    if !outcome.fed.is_empty() {
        let names = outcome.fed.iter().map(|(_, name)| name.as_str());
        rows.push((Word::Inputs, names.collect::<Vec<_>>().join(", ")));
    }
    let rows = rows.into_iter().map(|(word, value)| {
        view! { <div><dt>{session.say(word)}</dt> <dd>{value}</dd></div> }
    });
    view! { <dl class="run-facts">{rows.collect_view()}</dl> }
}

/// What two machines differ in beyond the rounding of floats, after the figures of that.
fn unlike(session: Session, reference: &Reference) -> String {
    let kinds = [
        (session.say(Word::DeviationUnlike), reference.unlike),
        (session.say(ValueWord::DeviationWhole), reference.whole),
    ];
    let kinds = kinds.into_iter().filter(|(_, count)| *count > 0);
    let each = kinds.map(|(says, count)| filled(says, &[&format::grouped(count)]));
    each.collect()
}

/// The same beside the verdict, which is about the plan alone.
fn apart(session: Session, report: &Report) -> Vec<String> {
    let Some(reference) = &report.reference else {
        return Vec::new();
    };
    let why = match reference.agreement() {
        Agreement::Same => return Vec::new(),
        Agreement::Open => ValueWord::ReferenceOpen,
        Agreement::Apart => ValueWord::ReferenceMeetsNone,
    };
    let counts = [reference.unlike, reference.whole].map(format::grouped);
    let counts = counts.each_ref().map(String::as_str);
    let says = filled(session.say(ValueWord::ReferenceApart), &counts);
    vec![says, session.say(why).to_owned()]
}

/// What of the run's arithmetic is not what the model's own runtime computes with.
fn arithmetic(session: Session, report: &Report) -> Vec<String> {
    let doubles = (report.doubles > 0).then(|| session.say(ValueWord::Doubles).to_owned());
    let counts = [
        (ValueWord::Hybrid, report.hybrid),
        (ValueWord::Decoded, report.decoded),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let counted = counts.map(|(word, count)| filled(session.say(word), &[&format::grouped(count)]));
    doubles.into_iter().chain(counted).collect()
}

/// A time, and of how many samples it is the least.
fn sampled(session: Session, time: f64, samples: usize) -> String {
    let time = format::duration(time);
    match samples {
        0 | 1 => filled(session.say(ValueWord::OneRun), &[&time]),
        _ => filled(
            session.say(ValueWord::FastestOf),
            &[&time, &samples.to_string()],
        ),
    }
}

/// Milliseconds of the fastest planned run.
pub(super) fn fastest(report: &Report) -> Option<f64> {
    report
        .runs
        .iter()
        .map(|run| run.time)
        .min_by(f64::total_cmp)
}

/// How the outputs are beside those of the model before its passes.
fn before_passes(session: Session, before: &Result<BeforePasses, Message>) -> String {
    let before = match before {
        Ok(before) => before,
        Err(why) => return said(session, why),
    };
    let arena = format::bytes(before.arena.0);
    if before.differing == 0 {
        return filled(session.say(Word::BeforePassesSame), &[&arena]);
    }
    let differing = format::grouped(before.differing);
    let Reference {
        max_abs, max_rel, ..
    } = before.deviation;
    let (abs, rel) = (format!("{max_abs:.1e}"), format!("{max_rel:.1e}"));
    let values = [&differing, &abs, &rel, &arena].map(String::as_str);
    let text = filled(session.say(Word::BeforePassesDiffer), &values);
    text + &unlike(session, &before.deviation)
}

fn weights(session: Session, report: &Report) -> String {
    let (seeded, all) = (
        format::grouped(report.seeded_weights),
        format::grouped(report.weights),
    );
    match report.seeded_weights {
        0 if report.weights == 0 => session.say(Word::WeightsNone).to_owned(),
        0 => filled(session.say(Word::WeightsThere), &[&all]),
        count if count == report.weights => filled(session.say(Word::WeightsSeeded), &[&all]),
        _ => filled(session.say(Word::WeightsPartly), &[&seeded, &all]),
    }
}
