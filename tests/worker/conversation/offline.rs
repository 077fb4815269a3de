//! A model that brings a plan, in the worker's conversation with the page.

use planner::graph::Bindings;
use planner::{Bytes, Io, PlanError, Settings};
use worker::{CaseId, Reply, Request};

use super::Talk;

/// A model of 11 operators that brings a plan for TFLite Micro, of 13,040 bytes.
const PLANNED: &[u8] = include_bytes!("../../data/plans/offline/documented.planned.tflite");

#[test]
fn a_model_that_brings_a_plan_is_shown_as_the_plan_has_it() {
    let mut talk = Talk::new(0.0);
    let Reply::Opened { opened, .. } = talk.open(1, &PLANNED.to_vec()) else {
        panic!("it is read");
    };
    assert!(opened.deployed);
    assert_eq!((opened.alignment, opened.io), (16, Io::Tflm));
    assert_eq!(opened.warnings, []);
    let mut judged = |io| {
        let settings = Settings {
            alignment: Bytes(16),
            io,
            ..Settings::default()
        };
        let prepare = Request::Prepare {
            case: CaseId(0),
            id: 2,
            bindings: Bindings::new(),
            settings,
        };
        talk.asked(&prepare, &[]);
        match talk.asked(
            &Request::Judge {
                id: 3,
                case: CaseId(0),
            },
            &[],
        ) {
            Reply::Planned { planned, .. } => planned,
            other => panic!("{other:?}"),
        }
    };
    let planned = judged(Io::Tflm).unwrap();
    assert_eq!(planned.judged.plan.arena, Bytes(13_040));
    assert_eq!(planned.judged.violations, []);
    // Where inputs and outputs lie beside the arena the plan has no meaning, and that is said.
    let refused = judged(Io::Beside);
    assert!(matches!(refused, Err(PlanError::Unsupported { .. })));
}
