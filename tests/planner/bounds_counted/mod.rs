//! Every bound that the page lists equals what is counted step by step, and its witness is there:
//! for every sample, and for the models, problems and dumps beside the checkout.
//!
//! What is counted here is slow and plain: a list of all needs for each step, no sums that change
//! from step to step. Where there are very many steps, those at which nothing begins or ends are
//! like the one before and left out.

mod table;

use std::collections::{BTreeMap, BTreeSet};

use planner::bounds::{Bound, BoundKind, Bounds, PARTITIONS_LISTED};
use planner::graph::Bindings;
use planner::load::{Document, Part, Source, load_parts};
use planner::{
    Buffer, Bytes, Lifetimes, Options, Settings, Silent, Span, Step, Strategy, bounds, passes,
    plan, prepare,
};
use tests::samples::samples;
use tests::shared;

use table::Table;

/// Kinds of bounds that were there.
type Seen = BTreeSet<&'static str>;

impl Table<'_> {
    fn check(&self, what: &str, seen: &mut Seen) {
        let found = bounds::aligned(self.lifetimes, Bytes(self.alignment));
        let one = |name: &str| found.list.iter().find(|it| it.kind.name() == name);
        let all = || 0..self.rows.len();
        let peak = Self::most(all(), |row| Some(self.live(row))).unwrap_or((0, 0));
        self.at_step(one("live").expect("always listed"), peak, what);

        let sizes = self
            .lifetimes
            .buffers
            .iter()
            .filter(|it| !it.span.is_empty());
        let largest = sizes.map(|it| it.size.0).max().unwrap_or(0);
        let alone = one("largest").map(|bound| bound.bytes.0);
        assert_eq!(alone, (largest > peak.0).then_some(largest), "{what}");

        self.check_stretches(&found, what);
        self.check_ranks(&found, what);

        let unit = self.unit();
        let aligned = Self::most(all(), |row| self.rounded(row, unit));
        let aligned = aligned.filter(|it| it.0 > 0);
        match one("aligned") {
            Some(bound) => {
                let expected = BoundKind::Aligned {
                    alignment: Bytes(unit),
                };
                assert_eq!(bound.kind, expected, "{what}");
                self.at_step(bound, aligned.expect("a step"), what);
            }
            // It says no more than the live bytes.
            None => assert!(aligned.is_none_or(|it| it.0 <= peak.0), "{what}"),
        }

        let tops = self.lifetimes.buffers.iter();
        let top = tops.filter_map(|it| Some(it.fixed?.0 + it.size.0)).max();
        let beside = Self::most(all(), |row| self.beside_fixed(row));
        let fixed = top.max(beside.map(|it| it.0));
        assert_eq!(one("fixed").map(|it| it.bytes.0), fixed, "{what}");
        if let Some((bound, beside)) = one("fixed").zip(beside)
            && Some(beside.0) > top
        {
            self.at_step(bound, beside, what);
        }

        let holds = found.list.iter().filter(|it| it.kind != BoundKind::Maxima);
        let strongest = holds.map(|it| it.bytes).max();
        assert_eq!(strongest, Some(found.offsets), "{what}");
        seen.extend(found.list.iter().map(|it| it.kind.name()));
        seen.extend((!self.saved.is_empty()).then_some("handovers"));
    }

    /// `bound` is reached at the first step with so much, by all that is needed there.
    fn at_step(&self, bound: &Bound, (bytes, row): (u64, usize), what: &str) {
        let kind = bound.kind;
        assert_eq!(bound.bytes.0, bytes, "{what}, {kind:?}");
        if bytes > 0 {
            assert_eq!(bound.step, Some(Step(self.steps[row])), "{what}, {kind:?}");
            assert_eq!(bound.witness, self.witness(row), "{what}, {kind:?}");
            let saved = self.saved.get(&row).copied().unwrap_or(0);
            assert_eq!(bound.shared.0, saved, "{what}, {kind:?}");
        }
    }

    fn check_stretches(&self, found: &Bounds, what: &str) {
        let stretches = self.stretches();
        assert_eq!(found.partitions, stretches.len() as u64, "{what}");
        let mut least = u64::MAX;
        let mut listed = 0;
        for bound in &found.list {
            let BoundKind::Partition { span } = bound.kind else {
                continue;
            };
            assert!(stretches.contains(&span), "{what}");
            let most = Self::most(self.rows_of(span), |row| Some(self.live(row)));
            self.at_step(bound, most.expect("a step"), what);
            least = bound.bytes.0.min(least);
            listed += 1;
        }
        let expected = if stretches.len() > 1 {
            stretches.len()
        } else {
            0
        };
        assert_eq!(listed, expected.min(PARTITIONS_LISTED), "{what}");
        // What is not listed needs no more than what is.
        let more = stretches.iter().filter(|&&span| {
            let most = Self::most(self.rows_of(span), |row| Some(self.live(row)));
            most.is_some_and(|it| it.0 > least)
        });
        assert!(more.count() <= listed, "{what}");
    }

    fn check_ranks(&self, found: &Bounds, what: &str) {
        let (most, ranked) = self.by_rank();
        let maxima: Vec<u64> = found.maxima.iter().map(|it| it.0).collect();
        assert_eq!(maxima, most, "{what}");
        assert_eq!(found.objects.0, most.iter().sum::<u64>(), "{what}");
        let bound = found.list.iter().find(|it| it.kind == BoundKind::Maxima);
        let bound = bound.expect("always listed");
        assert_eq!((bound.bytes, bound.step), (found.objects, None), "{what}");
        assert_eq!(bound.witness.len(), most.len(), "{what}");
        let apart: BTreeSet<usize> = bound.witness.iter().copied().collect();
        assert_eq!(apart.len(), most.len(), "{what}: no buffer twice");
        for (rank, &holder) in bound.witness.iter().enumerate() {
            let buffer = &self.lifetimes.buffers[holder];
            assert_eq!(buffer.size.0, most[rank], "{what}, rank {rank}");
            // At a step of its own so many others are as large.
            let beside = |row: usize| ranked[row].get(rank) >= Some(&most[rank]);
            let mut rows = self.rows_of(buffer.span);
            assert!(rows.any(beside), "{what}, rank {rank}");
        }
    }
}

/// The lifetimes as they are, and with every fourth block held where a plan has it, at each of
/// some alignments.
fn check_all(lifetimes: &Lifetimes, what: &str, seen: &mut Seen) {
    for alignment in [1, 64, 256] {
        Table::of(lifetimes, alignment).check(&format!("{what} at {alignment}"), seen);
    }
    let options = Options::aligned(Bytes(1));
    let Ok(made) = plan(Strategy::OffsetsBySize, lifetimes, &options, &mut Silent) else {
        return;
    };
    let mut held = lifetimes.clone();
    // Blocks over each other would be in each other's way.
    held.handovers.clear();
    if lifetimes.handovers.is_empty() {
        let buffers = held.buffers.iter_mut().zip(made.offsets);
        for (buffer, offset) in buffers.step_by(4) {
            buffer.fixed = Some(offset);
        }
    }
    Table::of(&held, 64).check(&format!("{what}, some held"), seen);
}

/// Every way in which the page may prepare `document`.
fn check_document(document: &Document, bind: &Bindings, what: &str) -> Seen {
    let in_place = passes::parse("in_place").expect("there is such a pass");
    let arenas = match document {
        Document::Deployed(deployed) => u32::try_from(deployed.arenas.len()).expect("few"),
        _ => 1,
    };
    let mut seen = Seen::new();
    for arena in 0..arenas {
        for passes in [passes::parse("").expect("none"), in_place] {
            let settings = Settings {
                arena,
                passes,
                ..Settings::default()
            };
            let subject = prepare(document, bind, &settings).expect("it can be planned");
            let what = format!("{what}, arena {arena}");
            check_all(&subject.lifetimes, &what, &mut seen);
            if document.graph().is_none() {
                break;
            }
        }
    }
    seen
}

fn opened(parts: &[(&str, &dyn Source)]) -> Option<Document> {
    let parts: Vec<Part<'_>> = parts
        .iter()
        .map(|&(name, source)| Part { name, source })
        .collect();
    load_parts(&parts).ok().map(|(_, document, _)| document)
}

#[test]
fn every_bound_of_every_sample_is_what_is_counted() {
    let mut seen = Seen::new();
    for sample in samples() {
        let document = opened(&[(sample.file, &sample.bytes)]).expect("samples can be read");
        let bind = sample.bind.iter();
        let bind: Bindings = bind
            .map(|(name, &value)| (name.to_string(), value))
            .collect();
        seen.extend(check_document(&document, &bind, sample.id));
    }
    let known = [
        "live",
        "partition",
        "aligned",
        "fixed",
        "maxima",
        "handovers",
    ];
    assert_eq!(seen, Seen::from(known));
}

#[test]
fn every_bound_of_every_file_beside_the_checkout_is_what_is_counted() {
    let none = Bindings::new();
    let folders = ["models", "data/minimalloc", "plans/iree", "plans/pte"];
    for folder in folders.into_iter().chain(["plans/tflite", "plans/vela"]) {
        for (name, bytes) in shared::files(folder, "") {
            if name.ends_with(".md") || name == "LICENSE.txt" {
                continue;
            }
            let document = opened(&[(&name, &bytes)]);
            let document = document.unwrap_or_else(|| panic!("{name} can be read"));
            check_document(&document, &none, &name);
        }
    }
}

/// The files of one module together.
#[test]
fn every_bound_of_every_module_of_xla_is_what_is_counted() {
    let files = shared::files("plans/xla", ".txt");
    let mut modules: BTreeMap<&str, Vec<(&str, &dyn Source)>> = BTreeMap::new();
    for (name, bytes) in files.iter().filter(|it| !it.0.contains("usage-report")) {
        let module = name.split('.').next().expect("a name");
        modules.entry(module).or_default().push((name, bytes));
    }
    for (module, parts) in modules {
        let document = opened(&parts).expect("it can be read");
        check_document(&document, &Bindings::new(), module);
    }
}

#[test]
fn what_is_counted_is_not_nothing() {
    // By hand: 4 + 6 at step 1; the ranks 6 and 4; the stretches [0, 3) and [3, 4).
    let sizes = [(4, 0, 2), (6, 1, 3), (5, 3, 4)];
    let buffers = sizes.map(|(size, start, end)| Buffer::new("x", size, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let table = Table::of(&lifetimes, 4);
    let stretches = vec![Span::new(0, 3), Span::new(3, 4)];
    assert_eq!((table.live(1), table.stretches()), (10, stretches));
    assert_eq!(table.by_rank().0, [6, 4]);
    // 4 and 8, of which the higher saves its 2.
    assert_eq!((table.unit(), table.rounded(1, 4)), (4, Some(10)));
}
