//! GGUF: the header alone, written here by hand as `docs/gguf.md` of ggml has it.

use std::cell::Cell;

use planner::generate::closed_forms::parameters;
use planner::graph::DType;
use planner::load::{Document, Fault, Format, Source, SourceError, described, load};
use tests::random::Random;

/// A file that is being written.
struct Gguf {
    version: u32,
    keys: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
}

fn text(text: &str) -> Vec<u8> {
    let length = (text.len() as u64).to_le_bytes();
    length.iter().copied().chain(text.bytes()).collect()
}

impl Gguf {
    fn new() -> Self {
        Self {
            version: 3,
            keys: Vec::new(),
            tensors: Vec::new(),
        }
    }

    fn key(mut self, name: &str, kind: u32, value: &[u8]) -> Self {
        let kind = kind.to_le_bytes();
        self.keys.push([&text(name)[..], &kind, value].concat());
        self
    }

    fn number(self, name: &str, value: u32) -> Self {
        self.key(name, 4, &value.to_le_bytes())
    }

    fn text(self, name: &str, value: &str) -> Self {
        self.key(name, 8, &text(value))
    }

    fn tensor(mut self, name: &str, dims: &[u64], kind: u32) -> Self {
        let mut bytes = text(name);
        bytes.extend(u32::try_from(dims.len()).expect("few").to_le_bytes());
        bytes.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
        bytes.extend(kind.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
        self.tensors.push(bytes);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let counts = [self.tensors.len() as u64, self.keys.len() as u64];
        let counts = counts.iter().flat_map(|count| count.to_le_bytes());
        let head = b"GGUF".iter().copied().chain(self.version.to_le_bytes());
        let rest = self.keys.iter().chain(&self.tensors).flatten().copied();
        head.chain(counts).chain(rest).collect()
    }
}

/// Llama 3 of 8 billion parameters, in 4 bits but for its norms.
fn llama() -> Gguf {
    Gguf::new()
        .text("general.architecture", "llama")
        .text("general.name", "Llama \u{7} 3")
        .number("llama.block_count", 32)
        .number("llama.embedding_length", 4096)
        .number("llama.feed_forward_length", 14_336)
        .number("llama.attention.head_count", 32)
        .number("llama.attention.head_count_kv", 8)
        .number("llama.vocab_size", 128_256)
        .tensor("token_embd.weight", &[4096, 128_256], 12)
        .tensor("output.weight", &[4096, 128_256], 14)
        .tensor("output_norm.weight", &[4096], 0)
}

fn said(bytes: &[u8]) -> (Fault, String) {
    let error = load(&bytes.to_vec()).expect_err("refused");
    (error.kind, error.to_string())
}

/// Of 256 elements Q4_K has 144 bytes and Q6_K 210.
#[test]
fn a_model_is_described_by_its_keys() {
    let (found, warnings) = described(&llama().bytes()).expect("a description");
    assert_eq!(parameters(&found.transformer), 8_030_261_248);
    assert!(!found.transformer.tied);
    let elements = 4096 * 128_256_u64;
    let (q4, q6) = (elements / 256 * 144, elements / 256 * 210);
    let expected = format!(
        "its 3 tensors take {} bytes: F32 16384, Q4_K {q4}, Q6_K {q6}",
        q4 + q6 + 16_384
    );
    let without = "288 of 291 weights of the graph count 16 bits a number, for the file has none \
                   of their name";
    let told: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert!(told.contains(&expected), "{told:?}");
    assert!(told.iter().any(|it| it == without), "{told:?}");
    let (format, document, _) = load(&llama().bytes()).expect("a model");
    assert_eq!(format, Format::Gguf);
    assert!(matches!(document, Document::Model(graph) if graph.ops.len() > 500));
}

/// The file that llama.cpp calls Q4_K_M: 6 bits for the head and, where its `use_more_bits` says so, for
/// values and the last product of a layer.
fn q4_k_m() -> Gguf {
    const Q4: u32 = 12;
    const Q6: u32 = 14;
    const F32: u32 = 0;
    let mut file = llama();
    for layer in 0..32 {
        let more = !(4..28).contains(&layer) || (layer - 4) % 3 == 2;
        let some = if more { Q6 } else { Q4 };
        for (name, dims, kind) in [
            ("attn_norm", &[4096][..], F32),
            ("attn_q", &[4096, 4096], Q4),
            ("attn_k", &[4096, 1024], Q4),
            ("attn_v", &[4096, 1024], some),
            ("attn_output", &[4096, 4096], Q4),
            ("ffn_norm", &[4096], F32),
            ("ffn_gate", &[4096, 14_336], Q4),
            ("ffn_up", &[4096, 14_336], Q4),
            ("ffn_down", &[14_336, 4096], some),
        ] {
            file = file.tensor(&format!("blk.{layer}.{name}.weight"), dims, kind);
        }
    }
    file
}

/// llama.cpp prints of it: model size = 4.58 GiB (4.89 BPW).
#[test]
fn quantised_weights_take_what_the_file_has() {
    let (_, document, warnings) = load(&q4_k_m().bytes()).expect("a model");
    let told: Vec<String> = warnings.iter().map(|it| it.message.to_string()).collect();
    assert!(
        told.iter()
            .any(|it| it.starts_with("its 291 tensors take "))
    );
    let bindings = planner::graph::Bindings::new();
    let subject = planner::prepare(&document, &bindings, &planner::Settings::default());
    let graph = subject.as_ref().expect("it fits").graph().expect("a model");
    let weights = graph
        .tensors
        .iter()
        .filter(|it| it.name.ends_with("weight"));
    let bytes: u64 = weights.map(|it| it.bytes().expect("a size").0).sum();
    assert_eq!(format!("{:.2}", bytes as f64 / f64::from(1 << 30)), "4.58");
    assert_eq!(
        format!("{:.2}", bytes as f64 * 8.0 / 8_030_261_248.0),
        "4.89"
    );
}

/// Without a head of their own the logits come from the table; with one type that is the type of
/// the weights; layers may say each the same figure.
#[test]
fn what_tensors_tell_is_read() {
    let heads = [9_u32, 4, 2, 0, 8, 8].map(u32::to_le_bytes).concat();
    let heads = [
        &heads[4..8],
        &2_u64.to_le_bytes(),
        &8_u32.to_le_bytes(),
        &8_u32.to_le_bytes(),
    ]
    .concat();
    let file = Gguf::new()
        .text("general.architecture", "qwen2")
        .number("qwen2.block_count", 2)
        .number("qwen2.embedding_length", 64)
        .number("qwen2.feed_forward_length", 128)
        .key("qwen2.attention.head_count", 9, &heads)
        .number("qwen2.vocab_size", 100)
        .tensor("token_embd.weight", &[64, 100], 30)
        .tensor("blk.0.attn_q.weight", &[64, 64], 30)
        .tensor("blk.0.attn_q.bias", &[64], 0);
    let (found, warnings) = described(&file.bytes()).expect("a description");
    assert!(found.transformer.tied && found.transformer.attention_bias);
    let keys = |it: &planner::load::Warning| it.message.to_string().contains("these keys");
    assert!(!warnings.iter().any(keys), "{warnings:?}");
    assert_eq!(found.transformer.heads, 8);
    assert_eq!(found.execution.weights, DType::BF16);
}

/// A file of which all but the first bytes is missing.
struct Sparse {
    bytes: Vec<u8>,
    len: u64,
    read: Cell<u64>,
}

impl Source for Sparse {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.read.set(self.read.get() + target.len() as u64);
        for (place, byte) in (start..).zip(target) {
            let held = usize::try_from(place)
                .ok()
                .and_then(|at| self.bytes.get(at));
            *byte = held.copied().unwrap_or(0);
        }
        Ok(())
    }
}

#[test]
fn of_a_hundred_gigabytes_the_header_alone_is_read() {
    let file = Sparse {
        bytes: llama().bytes(),
        len: 100_000_000_000,
        read: Cell::new(0),
    };
    assert!(load(&file).is_ok());
    assert!(
        file.read.get() < 1 << 20,
        "{} bytes were read",
        file.read.get()
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mut big = llama().bytes();
    big[4..8].copy_from_slice(&3_u32.to_be_bytes());
    assert!(said(&big).1.contains("it is big-endian, which is not read"));
    for version in [1, 4] {
        let other = Gguf { version, ..llama() };
        let (kind, said) = said(&other.bytes());
        assert_eq!(kind, Fault::Unsupported);
        assert!(
            said.contains(&format!("version {version} of GGUF is not read")),
            "{said}"
        );
    }
    let mut many = llama().bytes();
    many[8..16].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    assert!(
        said(&many)
            .1
            .contains("1152921504606846976 tensors, more than 65536")
    );
    let twice = llama().number("llama.block_count", 3);
    let (kind, twice) = said(&twice.bytes());
    assert_eq!(kind, Fault::Duplicate);
    assert!(
        twice.starts_with("key \"llama.block_count\": it is there twice"),
        "{twice}"
    );
    let same = llama().tensor("output.weight", &[256], 0);
    assert!(
        said(&same.bytes())
            .1
            .starts_with("tensor \"output.weight\": it is there twice")
    );
    let kind = llama().tensor("odd", &[256], 77);
    assert!(
        said(&kind.bytes())
            .1
            .contains("77 is no type of a tensor that is known here")
    );
    let rows = llama().tensor("odd", &[100, 3], 12);
    assert!(
        said(&rows.bytes())
            .1
            .contains("rows of 100 elements are no blocks of 256")
    );
    let large = llama().tensor("odd", &[1 << 40, 1 << 40], 0);
    assert!(
        said(&large.bytes())
            .1
            .contains("its bytes are beyond 64 bits")
    );
    let dims = llama().tensor("odd", &[1; 9], 0);
    assert!(said(&dims.bytes()).1.contains("9 dimensions, more than 8"));
    let array = [
        9_u32.to_le_bytes().to_vec(),
        (1_u64 << 60).to_le_bytes().to_vec(),
    ]
    .concat();
    let array = llama().key("deep", 9, &array);
    assert!(said(&array.bytes()).1.contains("more than 67108864"));
    let kinds = llama().key("odd", 99, &[]);
    assert!(said(&kinds.bytes()).1.contains("99 is no type of a value"));
    let nested: Vec<u8> = (0..6)
        .flat_map(|_| [9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        .collect();
    let nested = llama().key("deep", 9, &nested);
    assert!(
        said(&nested.bytes())
            .1
            .contains("arrays in arrays, deeper than 4")
    );
}

/// What the tensors take is said of an architecture that nobody knows here, too.
#[test]
fn an_architecture_that_is_not_known_has_its_totals() {
    let file = Gguf::new()
        .text("general.architecture", "mamba")
        .tensor("a", &[256, 2], 8)
        .tensor("b", &[4], 0);
    let (kind, said) = said(&file.bytes());
    assert_eq!(kind, Fault::Unsupported);
    let expected = "key \"general.architecture\": \"mamba\" is no architecture that is known here; \
                    its 2 tensors take 560 bytes: F32 16, Q8_0 544";
    assert!(said.starts_with(expected), "{said}");
}

/// Wherever it is cut, and whichever byte is another, it is read or refused.
#[test]
fn a_broken_header_is_refused() {
    let whole = llama().bytes();
    for end in 0..whole.len() {
        let error = load(&whole[..end].to_vec()).expect_err("cut");
        assert!(end < 4 || error.kind == Fault::Truncated, "{end}: {error}");
    }
    let random = &mut Random::new(48);
    for _ in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(3) {
            let at = usize::try_from(random.below(bytes.len() as u64)).expect("an index");
            bytes[at] = u8::try_from(random.below(256)).expect("a byte");
        }
        let _ = load(&bytes);
    }
}
