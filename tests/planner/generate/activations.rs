//! What a training step keeps for its backward pass.

use planner::generate::closed_forms::activations_16_bit;
use planner::generate::presets::classic;
use planner::generate::{Execution, Mode};
use planner::training::stage;
use planner::{Recipe, Rule};

use super::sized;

/// sbh(34 + 5as/h) of each layer, without the means and deviations of its normalisations, which
/// PyTorch keeps in 32 bits: of each of the two 2 · 4 bytes a token (Korthikanti et al. 2022,
/// equation 1).
#[test]
fn a_layer_keeps_what_its_formula_says() {
    for (s, b, h, a) in [
        (16, 1, 8, 2),
        (32, 3, 24, 4),
        (128, 2, 64, 8),
        (7, 5, 12, 3),
    ] {
        let kept = |layers| {
            let of = classic(layers, h, a, 50, s);
            let execution = Execution {
                mode: Mode::Forward(s),
                batch: b,
                ..Execution::default()
            };
            let graph = sized(&of, &execution);
            let recipe = Recipe {
                rule: Rule::Autograd,
                ..Recipe::default()
            };
            let step = stage::step(&graph, 1, recipe).expect("a step");
            assert!(step.unknown.is_empty(), "{:?}", step.unknown);
            let own = step.saved.iter().filter(|it| !it.input);
            let names: Vec<_> = own
                .clone()
                .filter(|it| it.name.contains("layers.1."))
                .map(|it| (it.name.clone(), it.bytes.0))
                .collect();
            (own.map(|it| u128::from(it.bytes.0)).sum::<u128>(), names)
        };
        let (three, names) = kept(3);
        let each = three - kept(2).0;
        let statistics = u128::from(2 * 2 * 4 * s * b);
        assert_eq!(
            each - statistics,
            activations_16_bit((s, b, h, a)),
            "{names:#?}"
        );
    }
}
