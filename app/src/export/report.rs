//! One plan as a report to attach to a bug: pictures, figures, the witness of the bound, where
//! the bytes go, and the plan itself.

use std::cmp::Reverse;
use std::slice;

use conversation::Column;
use leptos::prelude::*;
use planner::difference::{Move, plans};
use planner::save::Section;
use planner::waste::waste;
use planner::{Bytes, Judged, Sorting as _, save};

use crate::compare::replan::{share, shipped, taken};
use crate::drawing::painter::theme;
use crate::export::beside::beside;
use crate::export::menu::Job;
use crate::export::slide::written;
use crate::lazy::export::Shape;
use crate::state::session::to_f64;
use crate::strings::{DifferenceWord, InsightWord, ReportWord as W, Spoken, Word, filled};
use crate::text::fault::said;
use crate::text::title::title;
use crate::{format, strings};

/// Rows of a table.
const ROWS: usize = 50;

/// The most buffers of a plan that is attached.
const ATTACHED: usize = 20_000;

/// The file.
pub(crate) fn report(job: &Job) -> String {
    let writer = Writer { job };
    let mut sections = vec![Section::Text(writer.say(W::MadeBy)), writer.figures()];
    sections.extend(writer.violations());
    sections.push(writer.heading(W::Pictures));
    sections.extend(writer.pictures());
    sections.push(writer.heading(W::Plans));
    sections.push(writer.plans());
    sections.extend(writer.split(job.column, &job.planned.judged));
    let taken = job.planned.judged.metrics.taken();
    sections.extend(beside(job.session, &job.prepared.subject, taken));
    sections.extend(writer.shipped());
    sections.extend(writer.witness());
    sections.extend(writer.largest());
    sections.extend(writer.attached());
    let title = writer.fill(W::Title, &[&job.document]);
    save::report(job.session.language.get().tag(), &title, &sections)
}

struct Writer<'j> {
    job: &'j Job,
}

impl Writer<'_> {
    fn say(&self, word: impl Spoken) -> String {
        self.job.session.say(word).to_owned()
    }

    fn fill(&self, word: impl Spoken, values: &[&str]) -> String {
        filled(self.job.session.say(word), values)
    }

    fn heading(&self, word: W) -> Section {
        Section::Heading(self.say(word))
    }

    /// Column heads; those marked are of numbers.
    fn head(&self, heads: &[(W, bool)]) -> Vec<(String, bool)> {
        let say = |(word, number): &(W, bool)| (self.say(*word), *number);
        heads.iter().map(say).collect()
    }

    fn figures(&self) -> Section {
        let job = self.job;
        let metrics = job.planned.judged.metrics;
        let lifetimes = &job.prepared.subject.lifetimes;
        let broken = job.planned.judged.violations.len();
        let failed = !job.prepared.subject.refused.is_empty();
        let verdict = match broken {
            0 if metrics.optimal && failed => self.say(W::PlacedOnly),
            0 if metrics.optimal && job.session.left_out() == 0 => self.say(W::Optimal),
            0 => self.say(W::Valid),
            count => self.fill(W::Broken, &[&count.to_string()]),
        };
        let mut figures = vec![(W::File, job.document.clone())];
        let file = job.session.file.get();
        if let Some(toolchain) = file.map(|file| file.opened.toolchain.clone())
            && !toolchain.is_empty()
        {
            figures.push((W::Toolchain, toolchain));
        }
        figures.push((W::Plan, title(job.session, job.column)));
        figures.push((W::Buffers, format::grouped(lifetimes.buffers.len() as u64)));
        figures.push((W::Steps, format::grouped(lifetimes.horizon.0)));
        figures.push((W::Total, format::exact(metrics.arena.0)));
        if let Some(reserved) = metrics.reserved {
            figures.push((W::Reserved, format::exact(reserved.0)));
        }
        figures.push((W::Bound, format::exact(metrics.bound.0)));
        if let Some(shipped) = shipped(job.session).filter(|_| job.column != Column::Deployed) {
            let before = taken(&shipped);
            let after = metrics.taken().0;
            let saved = before.saturating_sub(after);
            let share = share(before, after);
            figures.push((W::Deployed, format::exact(before)));
            figures.push((W::Saved, format!("{} ({share})", format::exact(saved))));
        }
        figures.push((W::Verdict, verdict));
        let say = |(word, value)| (self.say(word), value);
        Section::Figures(figures.into_iter().map(say).collect())
    }

    fn violations(&self) -> Vec<Section> {
        let judged = &self.job.planned.judged;
        if judged.violations.is_empty() {
            return Vec::new();
        }
        let lifetimes = &self.job.prepared.subject.lifetimes;
        let pools = self.job.session.planning.pools.get();
        let sentences = judged.violations.iter().take(ROWS);
        let sentences =
            sentences.map(|it| Section::Text(said(self.job.session, &it.named(lifetimes, &pools))));
        let mut sections = vec![self.heading(W::Violations)];
        sections.extend(sentences);
        sections.extend(self.omitted(judged.violations.len()));
        sections
    }

    /// The plan itself, and the others that are shown.
    fn pictures(&self) -> Vec<Section> {
        let job = self.job;
        let picture = |job: &Job| Section::Picture {
            // A report is read on white, whatever the page looks like now.
            svg: written(slice::from_ref(job), Shape::Seen, &theme(false)),
            caption: self.fill(W::PictureIs, &[&job.title()]),
        };
        let mut pictures = vec![picture(job)];
        for column in job.session.shown.get() {
            let other = Job::new(job.session, column);
            if let Some(other) = other.filter(|_| column != job.column) {
                pictures.push(picture(&other));
            }
        }
        pictures
    }

    /// Every plan that there is, the smallest first.
    fn plans(&self) -> Section {
        let session = self.job.session;
        let mut plans: Vec<(bool, u64, Column, String)> = session.plans.with(|plans| {
            let planned = plans
                .iter()
                .filter_map(|(column, plan)| Some((*column, plan.planned()?)));
            let row = |(column, planned): (Column, &std::sync::Arc<worker::Planned>)| {
                let judged = &planned.judged;
                let valid = judged.violations.is_empty();
                let over = match valid {
                    true => format::percent(judged.metrics.over_bound),
                    false => self.fill(W::Broken, &[&judged.violations.len().to_string()]),
                };
                (!valid, judged.metrics.taken().0, column, over)
            };
            planned.map(row).collect()
        });
        plans.order();
        let row = |(_, arena, column, over): (bool, u64, Column, String)| {
            vec![title(session, column), format::exact(arena), over]
        };
        let head = [Word::Strategy, Word::Arena, Word::OverBoundColumn].map(|it| self.say(it));
        Section::Table {
            head: head.into_iter().zip([false, true, true]).collect(),
            rows: plans.into_iter().map(row).collect(),
        }
    }

    /// Where the bytes of a plan go; of one that breaks rules, that they are not split.
    fn split(&self, column: Column, judged: &Judged) -> Vec<Section> {
        let prepared = &self.job.prepared;
        let subject = &prepared.subject;
        let name = title(self.job.session, column);
        let heading = Section::Heading(self.fill(W::Split, &[&name]));
        if let rules @ 1.. = judged.violations.len() {
            let says = self.fill(InsightWord::WasteInvalid, &[&rules.to_string()]);
            return vec![heading, Section::Text(says)];
        }
        let split = waste(
            &subject.lifetimes,
            &subject.notes,
            &judged.plan,
            &prepared.bounds,
        );
        let split = split.counting_reserved(judged.metrics.reserved);
        let total = match split.reserved {
            true => self.say(DifferenceWord::Reserved),
            false => self.say(InsightWord::SumRow),
        };
        let arena = split.arena.0;
        let whole = to_f64(arena.max(1));
        let row = |(name, bytes): (String, i64)| {
            let sign = if bytes < 0 { "−" } else { "" };
            let share = format::percent(to_f64(bytes.unsigned_abs()) / whole);
            vec![name, format::signed(bytes), format!("{sign}{share}")]
        };
        let parts = split.parts.iter();
        let parts = parts.map(|part| (self.say(strings::part_of_arena(part.kind)), part.bytes));
        let total = (total, i64::try_from(arena).unwrap_or(i64::MAX));
        vec![
            heading,
            Section::Table {
                head: self.head(&[(W::Part, false), (W::Size, true), (W::Share, true)]),
                rows: parts.chain([total]).map(row).collect(),
            },
        ]
    }

    /// Of a plan that is offered instead of the one in the file: where the bytes of that one go,
    /// and what moves.
    fn shipped(&self) -> Vec<Section> {
        let job = self.job;
        let shipped = shipped(job.session).filter(|_| job.column != Column::Deployed);
        let Some(shipped) = shipped else {
            return Vec::new();
        };
        let mut sections = self.split(Column::Deployed, &shipped.judged);
        let lifetimes = &job.prepared.subject.lifetimes;
        let alignment = job.session.settings.with(|settings| settings.alignment);
        let (from, to) = (&shipped.judged.plan, &job.planned.judged.plan);
        let mut moved = plans(lifetimes, from, to, alignment).moved;
        let size = |it: &Move| lifetimes.buffers.get(it.buffer).map(|it| it.size);
        moved.order_by_key(|it| Reverse(size(it)));
        let row = |it: &Move| {
            let buffer = lifetimes.buffers.get(it.buffer)?;
            let [from, to] = [it.from, it.to].map(|offset| format::grouped(offset.0));
            Some(vec![
                buffer.name.clone(),
                format::exact(buffer.size.0),
                from,
                to,
            ])
        };
        let count = format::grouped(moved.len() as u64);
        let heads = [
            (W::Name, false),
            (W::Size, true),
            (W::MovedFrom, true),
            (W::MovedTo, true),
        ];
        sections.push(self.heading(W::Moves));
        sections.push(Section::Text(self.fill(W::MovesSay, &[&count])));
        if !moved.is_empty() {
            sections.push(Section::Table {
                head: self.head(&heads),
                rows: moved.iter().take(ROWS).filter_map(row).collect(),
            });
            sections.extend(self.omitted(moved.len()));
        }
        sections
    }

    fn witness(&self) -> Vec<Section> {
        let prepared = &self.job.prepared;
        let witnessed = prepared.bounds.witnessed();
        let Some((bound, step)) = witnessed.and_then(|bound| Some((bound, bound.step?))) else {
            return Vec::new();
        };
        let mut witness = bound.witness.clone();
        let count = witness.len();
        witness.truncate(ROWS);
        let values = [
            format::grouped(step.0),
            format::grouped(count as u64),
            format::exact(bound.bytes.0),
        ];
        let says = self.fill(W::WitnessSays, &values.each_ref().map(String::as_str));
        let mut sections = vec![self.heading(W::Witness), Section::Text(says)];
        // Why the sizes in the table sum to something else.
        if let Some((alignment, sum)) = bound.rounded(&prepared.subject.lifetimes) {
            let added = bound.bytes.0.saturating_sub(sum.0);
            let values = [sum.0, alignment.0, added].map(format::exact);
            let says = self.fill(W::WitnessRounded, &values.each_ref().map(String::as_str));
            sections.push(Section::Text(says));
        }
        if bound.shared > Bytes::ZERO {
            let shared = format::exact(bound.shared.0);
            let says = self.fill(W::WitnessShared, &[&shared]);
            sections.push(Section::Text(says));
        }
        sections.push(self.buffers(&witness));
        sections.extend(self.omitted(count));
        sections
    }

    fn largest(&self) -> Vec<Section> {
        let buffers = &self.job.prepared.subject.lifetimes.buffers;
        let mut largest: Vec<usize> = (0..buffers.len()).collect();
        largest.order_by_key(|&index| Reverse(buffers[index].size));
        largest.truncate(ROWS);
        let mut sections = vec![self.heading(W::Largest), self.buffers(&largest)];
        sections.extend(self.omitted(buffers.len()));
        sections
    }

    /// Buffers by index, with where and when they live.
    fn buffers(&self, indices: &[usize]) -> Section {
        let lifetimes = &self.job.prepared.subject.lifetimes;
        let plan = &self.job.planned.judged.plan;
        let row = |&index: &usize| {
            let buffer = lifetimes.buffers.get(index)?;
            let offset = plan.offsets.get(index)?;
            let last = buffer.span.end.0.saturating_sub(1);
            Some(vec![
                buffer.name.clone(),
                format::exact(buffer.size.0),
                format::grouped(offset.0),
                format::grouped(buffer.span.start.0),
                format::grouped(last),
            ])
        };
        let heads = [
            (W::Name, false),
            (W::Size, true),
            (W::Offset, true),
            (W::First, true),
            (W::Last, true),
        ];
        Section::Table {
            head: self.head(&heads),
            rows: indices.iter().filter_map(row).collect(),
        }
    }

    fn omitted(&self, all: usize) -> Option<Section> {
        let left = all.checked_sub(ROWS).filter(|left| *left > 0)?;
        Some(Section::Text(self.fill(W::Omitted, &[&left.to_string()])))
    }

    /// The plan to copy, and what its rows cannot say.
    fn attached(&self) -> Vec<Section> {
        let lifetimes = &self.job.prepared.subject.lifetimes;
        let plan = &self.job.planned.judged.plan;
        let count = lifetimes.buffers.len();
        if count > ATTACHED {
            let text = self.fill(W::TooLong, &[&format::grouped(count as u64)]);
            return vec![Section::Text(text)];
        }
        let pairs = save::not_in_csv(lifetimes, plan);
        let not_in_csv = (pairs > 0).then(|| {
            let pairs = format::grouped(pairs as u64);
            Section::Text(self.fill(Word::NotInCsv, &[&pairs]))
        });
        let rows = Section::Attachment {
            title: self.say(W::Attached),
            text: save::csv(lifetimes, plan),
        };
        not_in_csv.into_iter().chain([rows]).collect()
    }
}
