//! Transformers as files describe them: `config.json` and our own JSON.

use planner::generate::closed_forms::parameters;
use planner::generate::presets::preset;
use planner::generate::{Execution, Mode, NormPlace, Pattern, Transformer};
use planner::graph::DType;
use planner::load::{Document, Fault, Format, described, load};
use serde_json::{Value, json};

/// What a configuration describes.
fn of(config: &Value) -> (Transformer, Execution) {
    let (described, _) = described(&config.to_string().into_bytes()).expect("a description");
    (described.transformer, described.execution)
}

/// As published: the parameters of the weights (model cards; `num_parameters`) and the keys of each
/// configuration that make sizes, a model a line.
const PUBLISHED: &str = include_str!("../../data/configurations.txt");

#[test]
fn configurations_have_the_parameters_that_are_published() {
    for line in PUBLISHED.lines() {
        let (expected, config) = line.split_once(' ').expect("a number and an object");
        let config = serde_json::from_str(config).expect("an object");
        let (of, _) = of(&config);
        let expected: u128 = expected.parse().expect("a number");
        assert_eq!(parameters(&of), expected, "{config}");
    }
    assert_eq!(PUBLISHED.lines().count(), 14);
}

#[test]
fn windows_types_and_modes_are_read() {
    let gemma = json!({
        "model_type": "gemma3", "text_config": {
            "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 6,
            "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
            "vocab_size": 1000, "sliding_window": 512,
        }, "torch_dtype": "bfloat16",
    });
    let (found, execution) = of(&gemma);
    let windows: Vec<_> = (0..6).map(|layer| found.window_of(layer)).collect();
    assert_eq!(
        windows,
        [Some(512), Some(512), Some(512), Some(512), Some(512), None]
    );
    assert_eq!((found.norm_place, found.head_norm), (NormPlace::Both, true));
    assert_eq!(execution.weights, DType::BF16);
    assert_eq!(execution.mode, Mode::Prefill(1024));
    let mut listed = gemma;
    listed["text_config"]["layer_types"] = json!([
        "full_attention",
        "full_attention",
        "sliding_attention",
        "sliding_attention",
        "sliding_attention",
        "sliding_attention"
    ]);
    let (found, _) = of(&listed);
    assert_eq!(found.window.map(|it| it.pattern), Some(Pattern::From(2)));
}

#[test]
fn our_own_form_comes_back_as_it_was_written() {
    use planner::load::Described;
    let of = preset("deepseek-v2-lite").expect("a preset");
    let execution = Execution {
        mode: Mode::Decode(8192),
        batch: 4,
        ..Execution::default()
    };
    let written = Described::new(of.clone(), execution).written();
    let bytes = written.into_bytes();
    let (read, warnings) = described(&bytes).expect("a description");
    assert!(warnings.is_empty());
    assert_eq!((read.transformer, read.execution), (of, execution));
    let (format, document, _) = load(&bytes).expect("a model");
    assert_eq!(format, Format::Transformer);
    assert!(matches!(document, Document::Model(_)));
}

/// A key, a value that it cannot have, and what is said of it.
fn wrong() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        (
            "model_type",
            json!("mamba"),
            "key \"model_type\": \"mamba\" is no architecture that is known here",
        ),
        (
            "hidden_size",
            json!("64"),
            "key \"hidden_size\": no whole number",
        ),
        (
            "hidden_size",
            json!(-1),
            "key \"hidden_size\": no whole number",
        ),
        (
            "num_attention_heads",
            json!(0),
            "key \"num_attention_heads\": 0",
        ),
        (
            "num_hidden_layers",
            json!(u64::MAX),
            "key \"layers\": 18446744073709551615 is not from 1 to 1024",
        ),
        (
            "vocab_size",
            Value::Null,
            "key \"vocab_size\": it is not there",
        ),
        (
            "hidden_act",
            json!("xielu"),
            "key \"hidden_act\": \"xielu\" is not known here",
        ),
        (
            "tie_word_embeddings",
            json!(3),
            "key \"tie_word_embeddings\": neither true nor false",
        ),
        (
            "num_key_value_heads",
            json!(3),
            "key \"key_value_heads\": 3 do not divide 4 heads",
        ),
    ]
}

/// Parameters as published: with the classes that are listed, without any (`ViTModel` has a pooler
/// of 590,592 beside them).
#[test]
fn a_model_that_sees_has_its_classes() {
    let labels: serde_json::Map<_, _> = (0..1000)
        .map(|at| (at.to_string(), json!("a class")))
        .collect();
    let mut config = json!({
        "model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 768,
        "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
        "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "image_size": 224, "patch_size": 16, "num_channels": 3, "id2label": labels,
    });
    let (found, execution) = of(&config);
    assert_eq!(parameters(&found), 86_567_656);
    assert_eq!(execution.mode, Mode::Forward(197));
    assert!(!found.dropout);
    config["architectures"] = json!(["ViTModel"]);
    config["hidden_dropout_prob"] = json!(0.1);
    let (found, _) = of(&config);
    assert_eq!(parameters(&found), 85_798_656);
    assert!(found.dropout);
}

/// What is wrong is said with its key, or its line and column.
#[test]
fn what_is_wrong_is_said_with_its_key() {
    let good = json!({
        "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "vocab_size": 100,
    });
    let refused = |key: &str, value: Value| {
        let mut config = good.clone();
        config[key] = value;
        let error = load(&config.to_string().into_bytes()).expect_err("refused");
        (error.kind, error.to_string())
    };
    let cases = wrong();
    for (key, value, expected) in cases {
        let (kind, said) = refused(key, value);
        let fault = match key {
            "model_type" => Fault::Unsupported,
            _ => Fault::Malformed,
        };
        assert_eq!(kind, fault);
        // What can be done about it comes after that.
        assert!(said.starts_with(expected), "{said}");
    }
    let twice = good.to_string().replacen('{', "{\"vocab_size\": 7,", 1);
    let error = load(&twice.into_bytes()).expect_err("refused");
    assert!(
        error
            .to_string()
            .contains("key \"vocab_size\" is there twice"),
        "{error}"
    );
    let error = load(&b"{\"arenascope_transformer\": 2}".to_vec()).expect_err("refused");
    assert!(error.to_string().contains("line 1 column"), "{error}");
    let cut = good.to_string();
    let cut = cut.as_bytes()[..cut.len() - 3].to_vec();
    let error = load(&cut).expect_err("refused");
    assert!(error.to_string().contains("line 1 column"), "{error}");
}

/// OPT 350m has embeddings narrower than its layers, BERT types of tokens: what the graph has not is
/// said by its key. Where a key adds nothing, nothing is said.
#[test]
fn keys_that_are_not_understood_are_named() {
    let said = |config: &Value| {
        let (_, warnings) = described(&config.to_string().into_bytes()).expect("a description");
        let told = warnings.iter().map(|it| it.message.to_string());
        told.filter(|it| it.contains("not in the graph"))
            .collect::<Vec<_>>()
    };
    let opt = |width: u64| {
        json!({
            "model_type": "opt", "hidden_size": 1024, "ffn_dim": 4096, "num_hidden_layers": 24,
            "num_attention_heads": 16, "max_position_embeddings": 2048, "vocab_size": 50272,
            "activation_function": "relu", "word_embed_proj_dim": width,
            "do_layer_norm_before": false,
        })
    };
    let expected = ["of what these keys add something is not in the graph: word_embed_proj_dim"];
    assert_eq!(said(&opt(512)), expected);
    assert!(said(&opt(1024)).is_empty());
    let bert = json!({
        "model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "max_position_embeddings": 512, "vocab_size": 100, "type_vocab_size": 2,
    });
    assert_eq!(
        said(&bert),
        ["of what these keys add something is not in the graph: type_vocab_size"]
    );
    // Of Llama's biases that of the last product of attention has no place unless all have one.
    let llama = |mlp: bool| {
        json!({
            "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 100,
            "attention_bias": true, "mlp_bias": mlp,
        })
    };
    let expected = ["of what these keys add something is not in the graph: attention_bias"];
    assert_eq!(said(&llama(false)), expected);
    assert!(said(&llama(true)).is_empty());
    // 2 layers: q, k, v and o, 64 each; gate and up, 96 each; down, 64.
    let mut plain = llama(false);
    plain["attention_bias"] = json!(false);
    let count = |config: &Value| parameters(&of(config).0);
    assert_eq!(
        count(&llama(true)) - count(&plain),
        2 * (4 * 64 + 2 * 96 + 64)
    );
}
