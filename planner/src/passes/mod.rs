//! What a compiler does to a graph before memory is planned: one table of passes, run in its
//! order. Each pass gives a report and a map from the tensors before to those after it.
//!
//! A new pass is one file with a `PASS` and its `run`, and one word in the row of `passes!`.

// In the order in which they run.
mod given;
mod shapes;
mod fold;
mod decompose;
mod quantised;
mod batch_norm;
mod fusion;
mod views;
mod concat;
mod in_place;
pub mod order;
// What they share.
mod report;
mod operators;
mod admission;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::graph::infer::views::source;
use crate::graph::infer::{Sizers, Value};
use crate::graph::{Bindings, Graph, Op, TensorId};
use crate::liveness::{Handover, Lifetimes};
use crate::operators::Operator;
use crate::program::Program;
use crate::settings::{PassSet, Settings};
use crate::sorting::Sorting as _;
use crate::{Message, impl_message, message};

pub use decompose::decomposed;
pub use given::parameters;
pub use report::{Finding, LeftAlone, OrderFound, Reason, Report};

/// What is known of a pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name on command lines, in links and in files.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whether it runs only when it is chosen; the others are needed before anything can be
    /// planned.
    pub optional: bool,
    /// Whether it leaves every operator and tensor as it is, so that it may run even over a
    /// program that is planned as it is written.
    pub keeps_graph: bool,
    /// The rules that it can follow, the usual one first; none where there is one way only.
    pub rules: &'static [Rule],
}

/// One way of doing a pass.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name on command lines, in links and in files.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
}

impl Pass {
    /// Whether it may run over `program`.
    #[must_use]
    pub fn applies(&self, program: &Program) -> bool {
        self.keeps_graph || !program.as_written
    }
}

/// Rows in the order in which they run: `module::PASS` describes a pass, `module::run` is it.
/// Two tables, so that a program that only lists passes, as the page does, carries the code of
/// none.
macro_rules! passes {
    ($($needed:ident)+; $($module:ident)+) => {
        /// Every pass, in the order in which they run.
        pub const ALL: &[Pass] = &[$($needed::PASS),+, $($module::PASS),+];

        /// What each of them does.
        pub(crate) const EVERY: Runs = &[$($needed::run),+, $($module::run),+];

        /// What the first ones do, without which nothing can be planned.
        pub(crate) const NEEDED: Runs = &[$($needed::run),+];
    };
}

/// What passes do, in the order of [`ALL`].
pub(crate) type Runs = &'static [fn(&mut Work<'_>) -> Report];

passes! { given shapes fold; decompose quantised batch_norm fusion views concat in_place order }

/// What passes rewrite, and what they know beside it.
pub(crate) struct Work<'a> {
    program: Program,
    /// The elements that are known before the run, by tensor.
    values: BTreeMap<TensorId, Value>,
    bindings: &'a Bindings,
    given: &'a Given,
    sizers: Sizers,
    settings: &'a Settings,
    /// The rule of the pass that runs, by index into [`Pass::rules`].
    rule: u8,
    on_progress: &'a mut OnProgress<'a>,
}

/// Is told how many of at most how many orders a long pass has looked at, and says whether to go
/// on; the pass ends with the best that it has found where not.
pub type OnProgress<'a> = dyn FnMut(u64, u64) -> bool + 'a;

/// The elements of inputs that the caller gives before planning: little-endian, by input.
pub type Given = BTreeMap<TensorId, Vec<u8>>;

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pass").field(&self.name).finish()
    }
}

/// The pairs of buffers of `lifetimes`, which are those of `program` by `settings`, of which
/// LiteRT may write the later over the earlier, whatever passes are chosen: what a plan that it
/// has made is judged by. Beside them those that `lifetimes` allows already.
#[must_use]
pub fn litert_handovers(
    program: &Program,
    lifetimes: &Lifetimes,
    settings: &Settings,
) -> Vec<Handover> {
    let mut allowed = lifetimes.handovers.clone();
    let settings = Settings {
        passes: parse(in_place::PASS.name).expect("the name is one of the table"),
        until: None,
        ..*settings
    };
    // No other pass may change it.
    let kept = Program {
        as_written: true,
        ..program.clone()
    };
    let (bindings, given) = (Bindings::new(), Given::new());
    let known = (&bindings, &given);
    let found = run(kept, known, &settings, &mut |_, _| {}, &mut |_, _| true);
    if let Ok(found) = crate::liveness::lifetimes(&found, &settings)
        && found.buffers == lifetimes.buffers
    {
        allowed.extend(found.handovers);
        allowed.order_by_key(|it| (it.after, it.before, it.shift));
        allowed.dedup();
    }
    allowed
}

/// Runs the passes that are needed and those that `settings` choose over `program`, in the
/// order of the table, those left out that do not apply to it, and shows `seen` the program
/// after each. Returns the last one.
pub fn run(
    program: Program,
    known: (&Bindings, &Given),
    settings: &Settings,
    seen: &mut dyn FnMut(&Program, Report),
    on_progress: &mut OnProgress<'_>,
) -> Program {
    run_by(
        (Sizers::ALL, EVERY),
        program,
        known,
        settings,
        seen,
        on_progress,
    )
}

/// The same with operators of these dialects and these first passes only.
pub(crate) fn run_by(
    (sizers, runs): (Sizers, Runs),
    program: Program,
    (bindings, given): (&Bindings, &Given),
    settings: &Settings,
    seen: &mut dyn FnMut(&Program, Report),
    on_progress: &mut OnProgress<'_>,
) -> Program {
    let mut work = Work {
        program,
        values: BTreeMap::new(),
        bindings,
        given,
        sizers,
        settings,
        rule: 0,
        on_progress,
    };
    for (row, (pass, run)) in ALL.iter().zip(runs).enumerate() {
        let before_end = settings.until.is_none_or(|last| row <= usize::from(last));
        let chosen = settings.passes.rule(row).filter(|_| before_end);
        if pass.applies(&work.program) && (!pass.optional || chosen.is_some()) {
            work.rule = chosen.unwrap_or_default();
            let report = Report {
                pass: pass.name.to_owned(),
                ..run(&mut work)
            };
            seen(&work.program, report);
        }
    }
    work.program
}

/// The passes that are tried where none are chosen, each with the rule that saves most.
pub const USUAL: &str = "fusion,views,concat,in_place=aggressive,order";

/// The passes that are tried for a model: [`USUAL`], and on integers what it quantises.
#[must_use]
pub fn usual(graph: &Graph) -> PassSet {
    let chosen = parse(USUAL).expect("the names are of the table");
    let row = optional().find(|(_, pass)| pass.name == quantised::PASS.name);
    let quantises = graph.ops.iter().any(|op| op.is(Operator::DequantizeLinear));
    row.filter(|_| quantises)
        .map_or(chosen, |(row, _)| chosen.with(row, Some(0)))
}

/// No optional pass, or no rule of it, has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass {
    /// The name asked for.
    pub name: String,
    /// The pass whose rules were looked through; `None` where no pass has the name.
    pub pass: Option<&'static str>,
}

/// The optional passes of the table, each with its row.
pub fn optional() -> impl Iterator<Item = (usize, &'static Pass)> {
    ALL.iter().enumerate().filter(|(_, pass)| pass.optional)
}

/// Whether the elements of `tensor`, which `op` writes, lie in what it reads already.
#[must_use]
pub fn is_view(program: &Program, op: &Op, tensor: TensorId) -> bool {
    let position = source(op);
    let input = position.and_then(|at| op.inputs.get(at).copied()?);
    input.is_some_and(|input| program.storages.within(&program.graph, tensor, input))
}

/// Whether `op` gathers the elements of a strided view.
#[must_use]
pub fn is_copy(op: &Op) -> bool {
    op.is(Operator::Contiguous)
}

/// The name of the pass that chooses an order.
pub const ORDER: &str = order::NAME;

/// The kinds of operators of foreign domains, each with its domain, that keep their order whatever
/// order is chosen, because they may do more than compute; none where they and those that draw
/// numbers are fewer than two.
#[must_use]
pub fn in_order(graph: &Graph) -> Vec<String> {
    let more = |op: &&Op| !fold::deterministic(op);
    let ops: Vec<&Op> = graph.ops.iter().filter(more).collect();
    if ops.len() < 2 {
        return Vec::new();
    }
    let foreign = ops.iter().filter(|op| !op.domain.is_empty());
    let kinds = foreign.map(|op| format!("{}::{}", op.domain, op.kind));
    kinds.collect::<BTreeSet<String>>().into_iter().collect()
}

/// Whether `op` moves elements and computes nothing.
pub(crate) fn moves(op: &Op) -> bool {
    operators::family(op) == operators::Family::Moves
}

/// The passes that `text` names, separated by commas, each with its rule after an equals sign
/// or with the usual one; none for an empty text.
///
/// # Errors
/// [`UnknownPass`] with the first name that no optional pass has, or no rule of it.
pub fn parse(text: &str) -> Result<PassSet, UnknownPass> {
    let names = text.split(',').filter(|name| !name.is_empty());
    names.map(str::trim).try_fold(PassSet::NONE, |set, name| {
        let (name, rule) = match name.split_once('=') {
            Some((name, rule)) => (name.trim_end(), Some(rule.trim_start())),
            None => (name, None),
        };
        let unknown = |name: &str, pass| UnknownPass {
            name: name.into(),
            pass,
        };
        let row = optional().find(|(_, pass)| pass.name == name);
        let (row, pass) = row.ok_or_else(|| unknown(name, None))?;
        let rule = match rule {
            None => Some(0),
            Some(rule) => {
                let position = pass.rules.iter().position(|it| it.name == rule);
                let position = position.and_then(|it| u8::try_from(it).ok());
                Some(position.ok_or_else(|| unknown(rule, Some(pass.name)))?)
            }
        };
        Ok(set.with(row, rule))
    })
}

/// How a model is prepared that is to be trained: the operators are those of the file, in another
/// order where that is chosen; no other pass runs.
#[must_use]
pub fn order_alone(chosen: &Settings) -> Settings {
    let order = optional().find(|(_, pass)| pass.name == order::NAME);
    let passes = order.map(|(row, _)| PassSet::NONE.with(row, chosen.passes.rule(row)));
    Settings {
        passes: passes.unwrap_or_default(),
        until: None,
        training: None,
        ..*chosen
    }
}

/// The names of the passes in `set`, separated by commas, in the order in which they run, each
/// with its rule where that is not the usual one.
#[must_use]
pub fn text(set: PassSet) -> String {
    let named = |(row, pass): (usize, &Pass)| {
        let rule = pass.rules.get(usize::from(set.rule(row)?));
        let usual = set.rule(row) == Some(0);
        Some(match rule.filter(|_| !usual) {
            Some(rule) => format!("{}={}", pass.name, rule.name),
            None => pass.name.to_owned(),
        })
    };
    let chosen: Vec<String> = optional().filter_map(named).collect();
    chosen.join(",")
}

impl UnknownPass {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let name = format!("{:?}", self.name);
        let of_pass = |(_, pass): &(usize, &Pass)| Some(pass.name) == self.pass;
        if let Some((_, pass)) = optional().find(of_pass) {
            let names: Vec<&str> = pass.rules.iter().map(|rule| rule.name).collect();
            let names = names.join(", ");
            return message!(
                "{} has no rule called {}; there are {}",
                pass.name,
                name,
                names
            );
        }
        let names: Vec<&str> = optional().map(|(_, pass)| pass.name).collect();
        message!("no pass is called {}; there are {}", name, names.join(", "))
    }
}

impl_message!(UnknownPass);
impl std::error::Error for UnknownPass {}
