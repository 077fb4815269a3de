//! Weights take what a file has of them, and what has no place is said.

use planner::generate::closed_forms::parameters;
use planner::graph::{Bindings, infer};
use planner::load::{Document, Part, Warning, described, load_parts};

use super::safetensors::{File, header, llama};

/// What is said of weights without bytes, and of bytes without a weight.
fn remarks(warnings: &[Warning]) -> Vec<String> {
    let said = warnings.iter().map(|it| it.message.to_string());
    said.filter(|it| it.contains("none of their name") || it.contains("has no place"))
        .collect()
}

/// Matrices of 4 bits as AWQ has them: eight numbers in an integer of 32 bits, a scale of 16 bits and
/// a zero point of 4 for each 128 rows. Of 4 layers: 7 matrices; the rest in 16 bits.
#[test]
fn packed_matrices_take_what_they_take() {
    let plain = llama((4, 256, 512), (256, 128), 1000);
    let mut packed = Vec::new();
    let (mut numbers, mut rest) = (0, 0);
    for (name, kind, width, shape) in plain {
        let module = name.strip_suffix(".weight").expect("a weight");
        match (name.contains("_proj"), &shape[..]) {
            (true, &[out, inside]) => {
                numbers += out * inside;
                let tensor = |last: &str, kind, width, shape| {
                    (format!("{module}.{last}"), kind, width, shape)
                };
                packed.push(tensor("qweight", "I32", 4, vec![inside, out / 8]));
                packed.push(tensor("qzeros", "I32", 4, vec![inside / 128, out / 8]));
                packed.push(tensor("scales", "F16", 2, vec![inside / 128, out]));
            }
            _ => {
                rest += shape.iter().product::<u64>() * width;
                packed.push((name, kind, width, shape));
            }
        }
    }
    let (text, data) = header(&packed);
    // Half a byte a number; 2 and a half for each 128.
    assert_eq!(data, numbers / 2 + numbers / 128 * 5 / 2 + rest);
    let config = serde_json::json!({
        "model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
        "num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1,
        "vocab_size": 1000, "quantization_config": {"quant_method": "awq"},
    });
    let config = config.to_string().into_bytes();
    let weights = File::new(&text, data);
    let parts = [
        Part {
            name: "model.safetensors",
            source: &weights,
        },
        Part {
            name: "config.json",
            source: &config,
        },
    ];
    let (_, document, warnings) = load_parts(&parts).expect("a Llama");
    let Document::Model(mut graph) = document else {
        panic!("a model");
    };
    infer(&mut graph, &Bindings::new());
    let sized = graph
        .tensors
        .iter()
        .filter(|it| it.name.ends_with("weight"));
    let bytes: u64 = sized.map(|it| it.bytes().expect("a size").0).sum();
    assert_eq!(bytes, data, "{warnings:?}");
    assert_eq!(remarks(&warnings), Vec::<String>::new());
}

/// The tensors of ViT-B/16 as Hugging Face names them: 86,567,656 numbers with 1,000 classes.
#[test]
fn names_and_shapes_tell_a_vision_transformer() {
    let (hidden, inside) = (768, 3072);
    let mut tensors = vec![
        ("vit.embeddings.cls_token".to_owned(), vec![1, 1, hidden]),
        (
            "vit.embeddings.position_embeddings".to_owned(),
            vec![1, 197, hidden],
        ),
    ];
    let both = |name: &str, shape: Vec<u64>| {
        let bias = vec![shape[0]];
        [
            (format!("{name}.weight"), shape),
            (format!("{name}.bias"), bias),
        ]
    };
    let kernel = vec![hidden, 3, 16, 16];
    tensors.extend(both("vit.embeddings.patch_embeddings.projection", kernel));
    for layer in 0..12 {
        let part = |name: &str| format!("vit.encoder.layer.{layer}.{name}");
        let square = vec![hidden, hidden];
        for name in ["query", "key", "value"] {
            let name = part(&format!("attention.attention.{name}"));
            tensors.extend(both(&name, square.clone()));
        }
        tensors.extend(both(&part("attention.output.dense"), square));
        tensors.extend(both(&part("intermediate.dense"), vec![inside, hidden]));
        tensors.extend(both(&part("output.dense"), vec![hidden, inside]));
        for name in ["layernorm_before", "layernorm_after"] {
            tensors.extend(both(&part(name), vec![hidden]));
        }
    }
    tensors.extend(both("vit.layernorm", vec![hidden]));
    tensors.extend(both("classifier", vec![1000, hidden]));
    let mut tensors: Vec<_> = tensors
        .into_iter()
        .map(|(name, shape)| (name, "F32", 4, shape))
        .collect();
    let (text, data) = header(&tensors);
    assert_eq!(data, 4 * 86_567_656);
    let (found, warnings) = described(&File::new(&text, data)).expect("a vision transformer");
    assert_eq!(parameters(&found.transformer), 86_567_656);
    assert_eq!(found.execution.mode.tokens(), (197, 197));
    // Every tensor has its place.
    assert_eq!(remarks(&warnings), Vec::<String>::new());
    // A pooler has none.
    tensors.push((
        "vit.pooler.dense.weight".to_owned(),
        "F32",
        4,
        vec![hidden, hidden],
    ));
    let (text, data) = header(&tensors);
    let (_, warnings) = described(&File::new(&text, data)).expect("a vision transformer");
    let expected =
        "the graph has no place for 2359296 bytes of the file, of vit.pooler.dense first";
    assert_eq!(remarks(&warnings), [expected]);
}

/// Heads of queries and keys that are normalised have a weight each.
#[test]
fn norms_of_heads_have_their_place() {
    let mut tensors = llama((2, 256, 512), (256, 128), 1000);
    for layer in 0..2 {
        for name in ["q_norm", "k_norm"] {
            let name = format!("model.layers.{layer}.self_attn.{name}.weight");
            tensors.push((name, "F32", 4, vec![128]));
        }
    }
    let (text, data) = header(&tensors);
    let (found, warnings) = described(&File::new(&text, data)).expect("a Qwen 3");
    assert!(found.transformer.head_norm);
    assert_eq!(remarks(&warnings), Vec::<String>::new());
    let mut graph = found.graph().expect("a graph");
    infer(&mut graph, &Bindings::new());
    let norms = graph
        .tensors
        .iter()
        .filter(|it| it.name.ends_with("head.norm.weight"));
    let bytes: Vec<u64> = norms.map(|it| it.bytes().expect("a size").0).collect();
    assert_eq!(bytes, [512; 4]);
}
