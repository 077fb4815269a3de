//! Safetensors files that are written here: what their headers tell, and what is refused.

use std::cell::Cell;
use std::fmt::Write as _;

use planner::generate::closed_forms::parameters;
use planner::graph::DType;
use planner::load::{
    Described, Fault, Format, Part, Source, SourceError, described, load, load_parts,
};

/// A file of this header, and of so many bytes behind it, of which none can be read.
pub(super) struct File {
    head: Vec<u8>,
    data: u64,
    /// Bytes that were asked for.
    read: Cell<u64>,
}

impl File {
    pub(super) fn new(header: &str, data: u64) -> Self {
        let mut head = (header.len() as u64).to_le_bytes().to_vec();
        head.extend_from_slice(header.as_bytes());
        Self {
            head,
            data,
            read: Cell::new(0),
        }
    }
}

impl Source for File {
    fn len(&self) -> u64 {
        self.head.len() as u64 + self.data
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.read.set(self.read.get() + target.len() as u64);
        // What is sniffed may reach beyond the header.
        let end = start + target.len() as u64;
        if end > self.head.len() as u64 && start != 0 {
            return Err(SourceError::Io("weights are never read".to_owned()));
        }
        let start = usize::try_from(start).expect("small");
        let there = self.head.len().saturating_sub(start).min(target.len());
        target[..there].copy_from_slice(&self.head[start..start + there]);
        target[there..].fill(0);
        Ok(())
    }
}

/// Entries of a header: name, type, bytes of an element, shape.
pub(super) fn header(tensors: &[(String, &str, u64, Vec<u64>)]) -> (String, u64) {
    let mut text = "{\"__metadata__\":{\"format\":\"pt\"}".to_owned();
    let mut at = 0;
    for (name, kind, width, shape) in tensors {
        let end = at + shape.iter().product::<u64>() * width;
        write!(
            text,
            ",\"{name}\":{{\"dtype\":\"{kind}\",\"shape\":{shape:?},\"data_offsets\":[{at},{end}]}}"
        )
        .expect("a string");
        at = end;
    }
    (text + "}", at)
}

/// The tensors of a Llama of these figures, as Hugging Face names them.
pub(super) fn llama(
    (layers, hidden, inside): (u64, u64, u64),
    (queries, keys): (u64, u64),
    vocabulary: u64,
) -> Vec<(String, &'static str, u64, Vec<u64>)> {
    let mut all = vec![(
        "model.embed_tokens.weight".to_owned(),
        vec![vocabulary, hidden],
    )];
    for layer in 0..layers {
        let part = |name: &str| format!("model.layers.{layer}.{name}.weight");
        all.push((part("self_attn.q_proj"), vec![queries, hidden]));
        all.push((part("self_attn.k_proj"), vec![keys, hidden]));
        all.push((part("self_attn.v_proj"), vec![keys, hidden]));
        all.push((part("self_attn.o_proj"), vec![hidden, queries]));
        all.push((part("mlp.gate_proj"), vec![inside, hidden]));
        all.push((part("mlp.up_proj"), vec![inside, hidden]));
        all.push((part("mlp.down_proj"), vec![hidden, inside]));
        all.push((part("input_layernorm"), vec![hidden]));
        all.push((part("post_attention_layernorm"), vec![hidden]));
    }
    all.push(("model.norm.weight".to_owned(), vec![hidden]));
    all.push(("lm_head.weight".to_owned(), vec![vocabulary, hidden]));
    all.into_iter()
        .map(|(name, shape)| (name, "BF16", 2, shape))
        .collect()
}

fn bytes(tensors: &[(String, &str, u64, Vec<u64>)]) -> u64 {
    tensors
        .iter()
        .map(|it| it.3.iter().product::<u64>() * it.2)
        .sum()
}

/// The names and shapes of Llama 3 8B in one file of 16 GB: its parameters are those that Meta
/// publishes, 8,030,261,248, and only the header is read.
#[test]
fn names_and_shapes_tell_llama_3_8b() {
    let tensors = llama((32, 4096, 14_336), (4096, 1024), 128_256);
    let (text, data) = header(&tensors);
    assert_eq!(data, 2 * 8_030_261_248);
    let file = File::new(&text, data);
    let (found, warnings) = described(&file).expect("a Llama");
    let of = &found.transformer;
    assert_eq!(parameters(of), 8_030_261_248);
    assert_eq!(
        (of.layers, of.heads, of.key_value_heads, of.head_size),
        (32, 32, 8, 128)
    );
    assert!(!of.tied);
    assert_eq!(found.execution.weights, DType::BF16);
    let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert!(
        said.iter()
            .any(|it| it.contains("128 numbers each are taken")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|it| it.contains("16060522496 bytes: BF16 16060522496")),
        "{said:?}"
    );
    let (format, document, _) = load(&file).expect("a graph");
    assert_eq!(format, Format::Safetensors);
    assert!(document.graph().is_some_and(|it| it.ops.len() > 500));
    // Sniffing takes 64 KiB.
    assert!(file.read.get() < 6 * (file.head.len() as u64 + 65_536));
}

/// A model of two files, its index and its configuration: opened together in any order, the
/// configuration tells the architecture.
#[test]
fn shards_index_and_configuration_go_together() {
    let tensors = llama((2, 64, 128), (64, 32), 100);
    let (one, two) = tensors.split_at(9);
    let files = [one, two].map(|part| {
        let (text, data) = header(part);
        File::new(&text, data)
    });
    let map = |part: &[(String, &str, u64, Vec<u64>)], file: &str| {
        let rows = part.iter().map(|it| format!("\"{}\":\"{file}\"", it.0));
        rows.collect::<Vec<_>>().join(",")
    };
    let index = format!(
        "{{\"metadata\":{{\"total_size\":{}}},\"weight_map\":{{{},{}}}}}",
        bytes(&tensors),
        map(one, "a.safetensors"),
        map(two, "b.safetensors")
    )
    .into_bytes();
    let config = b"{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":2,\
        \"num_attention_heads\":4,\"num_key_value_heads\":2,\"intermediate_size\":128,\
        \"vocab_size\":100}"
        .to_vec();
    let part = |name: &'static str, source: &'static dyn Source| Part { name, source };
    let leak = |file: File| -> &'static dyn Source { Box::leak(Box::new(file)) };
    let [a, b] = files.map(leak);
    let index: &'static dyn Source = Box::leak(Box::new(index));
    let config: &'static dyn Source = Box::leak(Box::new(config));
    let all = [
        part("model.safetensors.index.json", index),
        part("a.safetensors", a),
        part("config.json", config),
        part("b.safetensors", b),
    ];
    let (format, document, warnings) = load_parts(&all).expect("one model");
    assert_eq!(format, Format::Safetensors);
    assert!(document.graph().is_some());
    let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    let total = format!("take {} bytes", bytes(&tensors));
    assert!(said.iter().any(|it| it.contains(&total)), "{said:?}");
    assert!(!said.iter().any(|it| it.contains("missing")), "{said:?}");
    let (.., warnings) = load_parts(&all[..3]).expect("without the second file");
    let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert!(
        said.iter().any(|it| it.contains("b.safetensors")),
        "{said:?}"
    );
    // Without shapes nothing can be told, and it is said what to open.
    let alone = load_parts(&[all[0]]).expect_err("no shapes");
    assert_eq!(alone.kind, Fault::Partner);
    assert!(alone.to_string().contains("config.json"), "{alone}");
    let twice = load_parts(&[all[1], all[1]]).expect_err("twice");
    assert_eq!(twice.kind, Fault::Duplicate);
}

#[test]
fn the_configuration_beside_an_index_is_enough() {
    let index =
        b"{\"metadata\":{\"total_size\":12345},\"weight_map\":{\"x\":\"a\",\"y\":\"b\"}}".to_vec();
    let config = b"{\"model_type\":\"gpt2\",\"n_embd\":64,\"n_layer\":1,\"n_head\":2,\
        \"n_positions\":16,\"vocab_size\":50}"
        .to_vec();
    let parts = [
        Part {
            name: "model.safetensors.index.json",
            source: &index,
        },
        Part {
            name: "config.json",
            source: &config,
        },
    ];
    let (_, document, warnings) = load_parts(&parts).expect("a GPT-2");
    assert!(document.graph().is_some());
    let said: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert!(
        said.iter()
            .any(|it| it.contains("2 tensors in 2 files, 12345 bytes")),
        "{said:?}"
    );
}

/// A configuration of twice as many layers is not that of the tensors, and that is said.
#[test]
fn tensors_of_another_model_are_named() {
    let (text, data) = header(&llama((2, 64, 128), (64, 32), 100));
    let file = File::new(&text, data);
    let said = |layers: u64| {
        let config = format!(
            "{{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":{layers},\
             \"num_attention_heads\":4,\"num_key_value_heads\":2,\"intermediate_size\":128,\
             \"vocab_size\":100}}"
        );
        let config = config.into_bytes();
        let parts = [
            Part {
                name: "config.json",
                source: &config,
            },
            Part {
                name: "model.safetensors",
                source: &file,
            },
        ];
        let (.., warnings) = load_parts(&parts).expect("a graph");
        let mut all = warnings.iter().map(|it| it.message.to_string());
        all.any(|it| it.contains("has none of their name"))
    };
    assert_eq!([2, 4].map(said), [false, true]);
}

#[test]
fn names_tell_gpt_2_and_bert() {
    let gpt2 = vec![
        ("wte.weight".to_owned(), "F32", 4, vec![50_257, 768]),
        ("wpe.weight".to_owned(), "F32", 4, vec![1024, 768]),
        (
            "h.0.attn.c_attn.weight".to_owned(),
            "F32",
            4,
            vec![768, 2304],
        ),
        ("h.0.mlp.c_fc.weight".to_owned(), "F32", 4, vec![768, 3072]),
    ];
    let bert = [
        ("embeddings.word_embeddings.weight", vec![30_522, 768]),
        ("embeddings.position_embeddings.weight", vec![512, 768]),
        (
            "encoder.layer.0.attention.self.query.weight",
            vec![768, 768],
        ),
        ("encoder.layer.0.intermediate.dense.weight", vec![3072, 768]),
    ];
    let bert = bert.map(|(name, shape)| (format!("bert.{name}"), "F16", 2, shape));
    let read = |tensors: &[(String, &str, u64, Vec<u64>)]| -> Described {
        let (text, data) = header(tensors);
        described(&File::new(&text, data)).expect("known names").0
    };
    let found = read(&gpt2).transformer;
    assert_eq!(
        (
            found.name.as_str(),
            found.layers,
            found.heads,
            found.feed_forward.size
        ),
        ("gpt2", 1, 12, 3072)
    );
    let found = read(&bert);
    assert_eq!(found.transformer.name, "bert");
    assert!(!found.transformer.decoder);
    assert_eq!(found.execution.weights, DType::F16);
}

/// Every type of the format has its bytes; another is refused by name.
#[test]
fn every_type_is_known_by_its_bytes() {
    let widths = [
        ("BOOL", 1),
        ("U8", 1),
        ("I8", 1),
        ("F8_E4M3", 1),
        ("F8_E5M2", 1),
        ("U16", 2),
        ("I16", 2),
        ("F16", 2),
        ("BF16", 2),
        ("U32", 4),
        ("I32", 4),
        ("F32", 4),
        ("U64", 8),
        ("I64", 8),
        ("F64", 8),
    ];
    for (kind, width) in widths {
        let tensors = [("x".to_owned(), kind, width, vec![3, 5])];
        let (text, data) = header(&tensors);
        // Its bytes are right, and its name is of no architecture.
        let error = described(&File::new(&text, data)).expect_err("no architecture");
        assert_eq!(error.kind, Fault::Unsupported);
        let says = format!("take {} bytes: {kind} {}", 15 * width, 15 * width);
        assert!(error.to_string().contains(&says), "{error}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let entry = |kind: &str, shape: &str, offsets: &str| {
        format!("{{\"x\":{{\"dtype\":\"{kind}\",\"shape\":{shape},\"data_offsets\":{offsets}}}}}")
    };
    let cases = [
        (
            entry("F32", "[2]", "[0,8]"),
            4,
            Fault::Truncated,
            "bytes 0 to 8",
        ),
        (
            entry("F32", "[2]", "[8,0]"),
            8,
            Fault::Truncated,
            "bytes 8 to 0",
        ),
        (
            entry("F32", "[2]", "[0,4]"),
            8,
            Fault::Malformed,
            "needs 8 bytes, and it has 4",
        ),
        (
            entry("Q9", "[2]", "[0,8]"),
            8,
            Fault::Unsupported,
            "the type \"Q9\"",
        ),
        (
            entry("F32", "[1152921504606846976,32]", "[0,8]"),
            8,
            Fault::Limit,
            "beyond 64 bits",
        ),
        (entry("F32", "[-1]", "[0,8]"), 8, Fault::Malformed, "line 1"),
        ("{\"x\":1}".to_owned(), 0, Fault::Malformed, "line 1"),
        ("{\"x\"".to_owned(), 0, Fault::Malformed, "line 1"),
        (
            "{\"x\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},\
             \"x\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}"
                .to_owned(),
            1,
            Fault::Duplicate,
            "twice",
        ),
        (
            "{\"\\u0000\\n\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,1]}}".to_owned(),
            1,
            Fault::Malformed,
            "\\0\\n",
        ),
    ];
    for (text, data, kind, says) in cases {
        let error = load(&File::new(&text, data)).expect_err("it is refused");
        assert_eq!(error.kind, kind, "{text}: {error}");
        assert!(error.to_string().contains(says), "{text}: {error}");
    }
    let mut cut = File::new("{}", 0);
    cut.head[0] = 200;
    let error = load(&cut).expect_err("cut off");
    assert_eq!(error.kind, Fault::Truncated, "{error}");
}
