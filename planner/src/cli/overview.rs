//! Every arena of a deployed program, before the report on one of them. Sizes are bytes.

use std::fmt::Write;

use planner::deployed::{Total, TotalKind};
use planner::load::Document;
use planner::overview::{Row, overview, total, worst_first};
use planner::{Bytes, Subject, message};
use serde_json::{Value, json};

use super::Failure;
use super::report::shown;

/// The arenas of a file and the one that is reported on.
#[derive(Default)]
pub(super) struct Arenas {
    /// All of them; none where the file has only one, or no plan.
    pub(super) rows: Vec<Row>,
    /// What they hold together, by what it is for.
    totals: Vec<Total>,
    /// Which one, from 0.
    pub(super) chosen: u32,
    /// What the file calls it; empty where it has no name.
    pub(super) name: String,
}

/// The arena that is asked for, otherwise the one that is most worth a look.
///
/// # Errors
/// [`Failure::Usage`] for an arena that is not there, which would silently be another.
pub(super) fn choose(
    name: &str,
    document: &Document,
    asked: Option<u32>,
) -> Result<Arenas, Failure> {
    let count = document.deployed().map_or(1, |it| it.arenas.len()).max(1);
    if asked.is_some_and(|arena| arena as usize >= count) {
        return Err(missing(name, asked, count));
    }
    let several = document.deployed().filter(|it| it.arenas.len() > 1);
    let rows = several.map(overview).unwrap_or_default();
    let worst = worst_first(&rows).first().copied().unwrap_or(0);
    let chosen = asked.unwrap_or(worst);
    let arena = document.deployed().and_then(|it| it.arena(chosen));
    Ok(Arenas {
        name: arena.map(|it| it.name.to_string()).unwrap_or_default(),
        rows,
        totals: document
            .deployed()
            .map_or_else(Vec::new, |it| it.totals.clone()),
        chosen,
    })
}

/// What memory is for.
fn named(kind: TotalKind) -> &'static str {
    match kind {
        TotalKind::Arguments => "arguments",
        TotalKind::Outputs => "outputs",
        TotalKind::Aliased => "of these, written over arguments",
        TotalKind::Donatable => "of the others, results of the same size could be written over",
        TotalKind::Reusable => {
            "of the temporary, at most, would fit into arguments that hold little meanwhile"
        }
        TotalKind::Temporary => "temporary",
        TotalKind::Constants => "constants",
        TotalKind::ThreadLocal => "of each thread, once",
        TotalKind::All => "arguments, outputs, temporary and constants, each byte once",
        TotalKind::AtLeast => "all that the toolchain knows of: there may be more",
    }
}

/// What is said of an arena that is not among the `count` of the file.
pub(super) fn missing(name: &str, asked: Option<u32>, count: usize) -> Failure {
    let asked = asked.unwrap_or_default();
    let count = message!("arena" | "arenas", count);
    Failure::Usage(format!(
        "--arena {asked}: {name} has {count}, counted from 0"
    ))
}

/// What is said of a file that lists the largest buffers only.
pub(super) fn not_listed(subject: &Subject) -> String {
    let much = match subject.not_listed() {
        None => return String::new(),
        Some(Bytes::ZERO) => "how much is not listed it does not say".to_owned(),
        Some(Bytes(1)) => "1 byte is not listed".to_owned(),
        Some(more) => format!("{} bytes are not listed", more.0),
    };
    format!("the file lists the largest buffers only, so every bound is \"at least\": {much}\n")
}

impl Arenas {
    /// The arenas, the one most worth a look first, and their sum; nothing where
    /// there is only one.
    pub(super) fn table(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "{} arenas:\n {:>15} {:>15} {:>15} {:>8}  arena\n",
            self.rows.len(),
            "bytes",
            "bound",
            "avoidable",
            "buffers"
        );
        for index in worst_first(&self.rows) {
            let Some(row) = self.rows.get(index as usize) else {
                continue;
            };
            let mark = if index == self.chosen { '*' } else { ' ' };
            let (bytes, bound, avoidable) = (row.bytes.0, row.bound.0, row.avoidable().0);
            let separate = match (row.separate, row.failed) {
                (true, _) => ", separate".to_owned(),
                (false, 0) => String::new(),
                (false, failed) => format!(", out of memory {failed} times"),
            };
            let (name, buffers) = (shown(&row.name.to_string()), row.buffers);
            let _ = writeln!(
                text,
                "{mark}{bytes:>15} {bound:>15} {avoidable:>15} {buffers:>8}  {index}: \
                 {name}{separate}"
            );
        }
        let (all, avoidable) = total(&self.rows);
        let _ = writeln!(
            text,
            " {:>15} {:>15} {:>15} {:>8}  all",
            all.0, "", avoidable.0, ""
        );
        for it in &self.totals {
            let _ = writeln!(text, " {:>15} {:>41} {}", it.bytes.0, "", named(it.kind));
        }
        text + "\nbelow is the arena marked *; --arena N shows another\n\n"
    }

    /// Which one it is, also for reports that no table precedes; nothing where there is only
    /// one.
    pub(super) fn remark(&self) -> Option<String> {
        let row = self.rows.get(self.chosen as usize)?;
        Some(format!(
            "of {} arenas this is number {}, {}: --arena N shows another",
            self.rows.len(),
            self.chosen,
            shown(&row.name.to_string())
        ))
    }

    /// The same as JSON, in the file's order.
    pub(super) fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            json!({
                "name": row.name,
                "bytes": row.bytes.0,
                "bound": row.bound.0,
                "avoidable": row.avoidable().0,
                "buffers": row.buffers,
                "separate": row.separate,
                "failed": row.failed,
            })
        });
        rows.collect()
    }
}
