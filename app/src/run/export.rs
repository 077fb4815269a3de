//! Every run as JSON, with what is needed to repeat it: document, settings, seed, machine,
//! versions.

use crate::state::session::Session;
use conversation::{Column, Key, Outcome};
use executor::verify::report::{Finding, Report, Verdict};
use leptos::prelude::*;
use runner::MachineKind;
use serde_json::{Map, Value, json};

use super::trouble::sentence;

/// The format of the file.
const FORMAT: u32 = 1;

/// The file's name, and its text.
pub(super) fn json(session: Session) -> (String, String) {
    let file = session.file.get();
    let document = file.map(|file| file.name).unwrap_or_default();
    let settings = session.settings.get();
    let runs = session.runs.outcomes.with(|outcomes| {
        let run = |(key, outcome): (&Key, &std::sync::Arc<Outcome>)| run(session, *key, outcome);
        outcomes.iter().map(run).collect::<Vec<Value>>()
    });
    let agent = window().navigator().user_agent().unwrap_or_default();
    let value = json!({
        "format": FORMAT,
        "document": document,
        "settings": {
            "alignment_bytes": settings.alignment.0,
            "inputs_and_outputs_placed": settings.io == planner::Io::WholeRun,
            "passes": planner::passes::text(settings.passes),
            "bindings": session.bindings.get(),
        },
        "versions": {
            "arenascope": env!("CARGO_PKG_VERSION"),
            "wgpu": runner::WGPU,
            "browser": agent,
        },
        "runs": runs,
    });
    let safe = |sign: char| {
        if sign.is_alphanumeric() || "-_. ".contains(sign) {
            sign
        } else {
            '_'
        }
    };
    let stem: String = document.chars().map(safe).collect();
    let text = serde_json::to_string_pretty(&value).expect("a JSON value always has a text");
    (format!("{stem}.runs.json"), text)
}

fn run(session: Session, (column, edited): Key, outcome: &Outcome) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("plan", column.name().into());
    put("edited", edited.into());
    if edited {
        put("moved", moved(session, column));
    }
    put("seed", outcome.seed.into());
    put(
        "machine",
        match outcome.machine {
            MachineKind::Gpu => "gpu",
            MachineKind::Cpu => "cpu",
        }
        .into(),
    );
    if let Some(adapter) = &outcome.adapter {
        put(
            "adapter",
            json!({
                "name": adapter.name,
                "backend": adapter.backend,
                "driver": adapter.driver,
                "max_buffer_bytes": adapter.max_buffer,
                "max_binding_bytes": adapter.max_binding,
                "timestamps": adapter.timestamps,
            }),
        );
    }
    match &outcome.result {
        Ok(report) => {
            for (key, value) in figures(session, report) {
                put(key, value);
            }
        }
        Err(why) => {
            put("verdict", "failed".into());
            put("why", sentence(session, why).into());
        }
    }
    Value::Object(object)
}

/// The buffers that were moved by hand, where they were and where they are.
fn moved(session: Session, column: Column) -> Value {
    let edit = session.runs.edits.with(|edits| edits.get(&column).cloned());
    let moved = edit.iter().flat_map(|edit| &edit.moved);
    let moved = moved.filter_map(|(&buffer, was)| {
        let name = session.with_lifetimes(|l| Some(l.buffers.get(buffer)?.name.clone()));
        let now = session.offset(column, buffer)?;
        Some(json!({ "buffer": name.flatten()?, "from": was.0, "to": now.0 }))
    });
    moved.collect::<Vec<Value>>().into()
}

fn figures(session: Session, report: &Report) -> Vec<(&'static str, Value)> {
    let audit = report.audit.as_ref().ok();
    let times = report.step_times.as_ref();
    let (naive, reference) = (report.naive.as_ref(), report.reference);
    let before = report.before_passes.iter().flatten().next();
    let (verdict, why) = match &report.verdict {
        Verdict::Confirmed => ("confirmed", None),
        Verdict::Refuted => ("refuted", None),
        Verdict::Incomplete(why) => ("incomplete", Some(why)),
    };
    let runs = report.runs.iter();
    let runs = runs.map(|run| {
        let pattern = format!("{:#010x}", run.pattern);
        json!({ "pattern": pattern, "ms": run.time, "differing_words": run.differing })
    });
    let ledger = report.ledger.iter();
    let ledger = ledger.map(|entry| json!({ "label": entry.label, "bytes": entry.bytes.0 }));
    let findings = audit.map(|audit| {
        let findings = audit.findings.iter();
        findings
            .map(|found| finding(session, found))
            .collect::<Vec<Value>>()
    });
    vec![
        ("verdict", verdict.into()),
        ("why", json!(why)),
        ("promised_bytes", report.promised.0.into()),
        ("allocated_bytes", report.allocated.0.into()),
        ("touched_bytes", json!(audit.map(|audit| audit.touched.0))),
        ("reach_bytes", report.reach.0.into()),
        (
            "naive_arena_bytes",
            json!(naive.ok().map(|naive| naive.arena.0)),
        ),
        ("naive_ms", json!(naive.ok().map(|naive| naive.time))),
        ("naive_runs", json!(naive.ok().map(|naive| naive.runs))),
        ("no_naive_run", json!(naive.err())),
        ("runs", runs.collect::<Vec<Value>>().into()),
        ("audit_ms", json!(audit.map(|audit| audit.time))),
        (
            "audit_differing_words",
            json!(audit.map(|audit| audit.differing)),
        ),
        ("no_audit", json!(report.audit.as_ref().err())),
        ("findings", json!(findings)),
        ("step_ms", json!(times.map(|times| &times.milliseconds))),
        ("step_ms_by", json!(times.map(|times| times.by))),
        ("roofline", json!(report.roofline)),
        ("moved_bytes", report.moved.0.into()),
        ("max_abs_error", json!(reference.map(|r| r.max_abs))),
        ("max_rel_error", json!(reference.map(|r| r.max_rel))),
        ("unlike", json!(reference.map(|r| r.unlike))),
        ("integers_differing", json!(reference.map(|r| r.whole))),
        ("meets_nan_or_infinity", json!(reference.map(|r| r.odd))),
        (
            "before_passes_differing_words",
            json!(before.map(|it| it.differing)),
        ),
        (
            "before_passes_max_abs_error",
            json!(before.map(|it| it.deviation.max_abs)),
        ),
        ("weights", report.weights.into()),
        ("seeded_weights", report.seeded_weights.into()),
        ("ledger", ledger.collect::<Vec<Value>>().into()),
    ]
}

fn finding(session: Session, finding: &Finding) -> Value {
    let says = super::finding::sentence(session, finding);
    let (kind, victim, step, at, words) = match finding {
        Finding::Clobbered {
            victim,
            overwriter,
            at,
            words,
        } => ("clobbered", Some(*victim), overwriter, at, words),
        Finding::Outside { step, at, words } => ("outside", None, step, at, words),
        Finding::Unwritten { step, at, words } => ("unwritten", None, step, at, words),
    };
    let victim = victim.and_then(|index| {
        let name = session.with_lifetimes(|l| Some(l.buffers.get(index)?.name.clone()));
        name.flatten()
    });
    json!({ "kind": kind, "victim": victim, "step": step.0, "at": at.0, "words": words, "says": says })
}
