//! Every model of the shared folder against the figures of an independent implementation.
//!
//! The minimum-cost flow is not among them: which of several cheapest flows is found depends
//! on the order of the edges, and that implementation had its own. `flow.rs` compares ours
//! with the published order instead.

use planner::bounds::bounds;
use planner::graph::Bindings;
use planner::liveness::Settings;
use planner::load::load;
use planner::pipeline::{judged, prepare};
use planner::plan::Options;
use planner::strategies::{Silent, Strategy};
use serde_json::Value;

const SHARED: &str = "/work/shared";

const COLUMNS: [(&str, Strategy); 8] = [
    ("naive", Strategy::Naive),
    ("off_gbs", Strategy::OffsetsBySize),
    ("off_gbb", Strategy::OffsetsByBreadth),
    ("off_inorder", Strategy::OffsetsInOrder),
    ("off_strip", Strategy::StripBestFit),
    ("so_gbs_improved", Strategy::GreedyBySize),
    ("so_gbb", Strategy::GreedyByBreadth),
    ("so_greedy_in_order", Strategy::GreedyInOrder),
];

type Figures = Vec<(&'static str, u64)>;

/// Our figures of a model; every plan has passed the judge.
fn figures(model: &str) -> Result<Figures, String> {
    let bytes = std::fs::read(format!("{SHARED}/models/{model}")).map_err(|e| e.to_string())?;
    let (_, document, _) = load(&bytes).map_err(|e| e.to_string())?;
    let settings = Settings::default();
    let subject = prepare(&document, &Bindings::default(), &settings);
    let subject = subject.map_err(|e| format!("{} is too large", e.tensor))?;
    let lifetimes = subject.lifetimes;
    let options = Options {
        alignment: settings.alignment,
    };
    let bounds = bounds(&lifetimes);
    let mut ours = vec![
        (
            "unsized",
            subject.split.map_or(0, |split| split.unsized_tensors),
        ),
        ("intermediates", lifetimes.buffers.len() as u64),
        ("lb_offset", bounds.offsets.0),
        ("lb_shared", bounds.objects.0),
    ];
    for (column, strategy) in COLUMNS {
        let made = judged(strategy, &lifetimes, &bounds, &options, &mut Silent);
        let made = made.map_err(|e| e.to_string())?;
        if let Some(violation) = made.violations.first() {
            return Err(format!("{strategy}: {violation}"));
        }
        ours.push((column, made.plan.arena.0));
    }
    Ok(ours)
}

/// The figures that are not exactly the known ones. No known model has unsized tensors.
fn differences(ours: &Figures, known: &Value) -> Vec<String> {
    let differ = |&(column, figure): &(&str, u64)| {
        let known = match column {
            "unsized" => Some(0),
            _ => known[column].as_u64(),
        };
        (known != Some(figure)).then(|| format!("{column} {figure}, known {known:?}"))
    };
    ours.iter().filter_map(differ).collect()
}

/// Raw exports of which the other implementation could not size all tensors. Its figures
/// cover a part of the records, so ours cannot be lower; and there cannot be more records
/// than the part and what was left out of it. The simplified export of the same model,
/// which has fewer operators but the same largest one, tells the offset bound.
fn contradictions(ours: &Figures, part: &Value, simplified: &Value) -> Vec<String> {
    let known = |column: &str| part[column].as_u64().unwrap_or(u64::MAX);
    let most = known("intermediates").saturating_add(known("unknown_shape"));
    let contradict = |&(column, figure): &(&str, u64)| {
        let holds = match column {
            "unsized" => figure == 0,
            "intermediates" => (known(column)..=most).contains(&figure),
            "lb_offset" => simplified[column].as_u64() == Some(figure),
            "naive" | "lb_shared" => figure >= known(column),
            _ => true,
        };
        (!holds).then(|| format!("{column} {figure} contradicts {}", part[column]))
    };
    ours.iter().filter_map(contradict).collect()
}

#[test]
fn every_shared_model_has_its_known_figures() {
    let path = format!("{SHARED}/vectors/model_figures.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: {path} is not here");
        return;
    };
    let all: Value = serde_json::from_str(&text).unwrap();
    let models = all["models"].as_object().unwrap();
    let mut wrong = Vec::new();
    for (model, known) in models {
        let simplified = &all["models"][model.replace(".noweights", ".sim.noweights")];
        let found = match figures(model) {
            Ok(ours) if known["unknown_shape"] == 0 => differences(&ours, known),
            Ok(ours) => contradictions(&ours, known, simplified),
            Err(error) => vec![error],
        };
        if !found.is_empty() {
            wrong.push(format!("{model}: {}", found.join("; ")));
        }
    }
    assert_eq!(models.len(), 25);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
