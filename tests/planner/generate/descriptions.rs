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

/// As published: the keys of each configuration that make sizes, and the parameters of the weights
/// (model cards; `num_parameters`).
#[test]
fn configurations_have_the_parameters_that_are_published() {
    let llama =
        |hidden: u64, inside: u64, layers: u64, heads: u64, groups: u64, vocabulary: u64| {
            json!({
                "model_type": "llama", "hidden_size": hidden, "intermediate_size": inside,
                "num_hidden_layers": layers, "num_attention_heads": heads,
                "num_key_value_heads": groups, "vocab_size": vocabulary, "hidden_act": "silu",
                "tie_word_embeddings": false, "torch_dtype": "bfloat16",
            })
        };
    let with = |base: Value, more: Value| {
        let mut base = base;
        let (Some(into), Value::Object(more)) = (base.as_object_mut(), more) else {
            panic!("objects");
        };
        into.extend(more);
        base
    };
    let published = [
        (llama(4096, 14_336, 32, 32, 8, 128_256), 8_030_261_248),
        (
            with(
                llama(4096, 14_336, 32, 32, 8, 32_000),
                json!({"model_type": "mistral", "sliding_window": 4096}),
            ),
            7_241_732_096,
        ),
        (
            with(
                llama(4096, 14_336, 32, 32, 8, 32_000),
                json!({
                    "model_type": "mixtral", "sliding_window": null, "num_local_experts": 8,
                    "num_experts_per_tok": 2,
                }),
            ),
            46_702_792_704,
        ),
        (
            with(
                llama(896, 4864, 24, 14, 2, 151_936),
                json!({
                    "model_type": "qwen2", "tie_word_embeddings": true, "sliding_window": 32_768,
                    "use_sliding_window": false, "max_window_layers": 21,
                }),
            ),
            494_032_768,
        ),
        (
            with(
                llama(1024, 3072, 28, 16, 8, 151_936),
                json!({
                    "model_type": "qwen3", "tie_word_embeddings": true, "head_dim": 128,
                    "attention_bias": false,
                }),
            ),
            596_049_920,
        ),
        (
            with(
                llama(2304, 9216, 26, 8, 4, 256_000),
                json!({
                    "model_type": "gemma2", "head_dim": 256, "sliding_window": 4096,
                    "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": null,
                }),
            ),
            2_614_341_888,
        ),
        (
            with(
                llama(1152, 6912, 26, 4, 1, 262_144),
                json!({
                    "model_type": "gemma3_text", "head_dim": 256, "sliding_window": 512,
                    "sliding_window_pattern": 6, "hidden_activation": "gelu_pytorch_tanh",
                    "tie_word_embeddings": true,
                }),
            ),
            999_885_952,
        ),
        (
            with(
                llama(3072, 8192, 32, 32, 32, 32_064),
                json!({"model_type": "phi3"}),
            ),
            3_821_079_552,
        ),
        (
            with(
                llama(2048, 8192, 24, 32, 32, 51_200),
                json!({"model_type": "phi", "hidden_act": "gelu_new", "qkv_bias": true}),
            ),
            1_418_270_720,
        ),
        (
            json!({
                "model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_inner": null,
                "n_positions": 1024, "vocab_size": 50_257, "activation_function": "gelu_new",
            }),
            124_439_808,
        ),
        (
            json!({
                "model_type": "gpt_neox", "hidden_size": 512, "intermediate_size": 2048,
                "num_hidden_layers": 6, "num_attention_heads": 8, "vocab_size": 50_304,
                "hidden_act": "gelu", "tie_word_embeddings": false, "use_parallel_residual": true,
            }),
            70_426_624,
        ),
        (
            json!({
                "model_type": "opt", "hidden_size": 768, "ffn_dim": 3072, "num_hidden_layers": 12,
                "num_attention_heads": 12, "max_position_embeddings": 2048, "vocab_size": 50_272,
                "activation_function": "relu", "do_layer_norm_before": true,
            }),
            125_239_296,
        ),
        (
            with(
                llama(2048, 10_944, 27, 16, 16, 102_400),
                json!({
                    "model_type": "deepseek_v2", "kv_lora_rank": 512, "q_lora_rank": null,
                    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
                    "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
                    "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
                    "moe_layer_freq": 1,
                }),
            ),
            15_706_484_224,
        ),
    ];
    for (config, expected) in published {
        let (of, _) = of(&config);
        assert_eq!(parameters(&of), expected, "{config}");
    }
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
    let cases = [
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
    ];
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
    let error = load(&b"{\"arenascope_transformer\": 2}".to_vec()).expect_err("refused");
    assert!(error.to_string().contains("line 1 column"), "{error}");
    let cut = good.to_string();
    let cut = cut.as_bytes()[..cut.len() - 3].to_vec();
    let error = load(&cut).expect_err("refused");
    assert!(error.to_string().contains("line 1 column"), "{error}");
}
