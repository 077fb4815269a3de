//! Bytes that a file has for each weight, by the names that publishers give: quantised weights have
//! elements of no whole number of bits.

use std::collections::BTreeMap;

use crate::graph::{Content, Graph};
use crate::load::Warning;
use crate::message;
use crate::units::Bytes;

/// A part of ours, and what others call it. Where ours are several, theirs is one matrix of all.
type Row = (&'static [&'static str], &'static [&'static str]);

/// The names of Hugging Face and of llama.cpp. A name that does not fit is not the part's: the
/// numbers of its elements differ.
const ROWS: &[Row] = &[
    (
        &["embedding"],
        &[
            "embed_tokens",
            "token_embd",
            "wte",
            "word_embeddings",
            "embed_in",
            "patch_embeddings.projection",
        ],
    ),
    (
        &["embedding.positions"],
        &[
            "wpe",
            "position_embd",
            "position_embeddings",
            "embed_positions",
        ],
    ),
    (&["embedding.class"], &["cls_token"]),
    (&["head"], &["lm_head", "output", "embed_out", "classifier"]),
    (
        &["norm"],
        &[
            "norm",
            "output_norm",
            "ln_f",
            "final_layer_norm",
            "final_layernorm",
            "layernorm",
        ],
    ),
    (
        &["embedding.norm"],
        &["embeddings.LayerNorm", "token_embd_norm"],
    ),
    (
        &["attention.query"],
        &[
            "self_attn.q_proj",
            "attn_q",
            "attention.self.query",
            "attention.attention.query",
        ],
    ),
    (
        &["attention.key"],
        &[
            "self_attn.k_proj",
            "attn_k",
            "attention.self.key",
            "attention.attention.key",
        ],
    ),
    (
        &["attention.value"],
        &[
            "self_attn.v_proj",
            "attn_v",
            "attention.self.value",
            "attention.attention.value",
        ],
    ),
    (
        &["attention.query", "attention.key", "attention.value"],
        &[
            "attn.c_attn",
            "attn_qkv",
            "self_attn.qkv_proj",
            "attention.query_key_value",
        ],
    ),
    (
        &["attention.output"],
        &[
            "self_attn.o_proj",
            "self_attn.out_proj",
            "self_attn.dense",
            "attn_output",
            "attn.c_proj",
            "attention.dense",
            "attention.output.dense",
        ],
    ),
    (
        &["attention.norm"],
        &[
            "input_layernorm",
            "attn_norm",
            "ln_1",
            "self_attn_layer_norm",
            "layernorm_before",
            "attention.output.LayerNorm",
            "attn_output_norm",
        ],
    ),
    (
        &["feed_forward.norm"],
        &[
            "post_attention_layernorm",
            "pre_feedforward_layernorm",
            "ffn_norm",
            "ln_2",
            "layernorm_after",
            "output.LayerNorm",
            "layer_output_norm",
        ],
    ),
    (
        &["attention.norm_after"],
        &["post_attention_layernorm", "post_attention_norm"],
    ),
    (
        &["feed_forward.norm_after"],
        &["post_feedforward_layernorm", "post_ffw_norm"],
    ),
    (
        &["attention.query.norm"],
        &["self_attn.q_a_layernorm", "attn_q_a_norm"],
    ),
    (
        &["attention.query.head.norm"],
        &["self_attn.q_norm", "attn_q_norm"],
    ),
    (
        &["attention.query.down"],
        &["self_attn.q_a_proj", "attn_q_a"],
    ),
    (&["attention.query"], &["self_attn.q_b_proj", "attn_q_b"]),
    (
        &["attention.key.head.norm"],
        &["self_attn.k_norm", "attn_k_norm"],
    ),
    (
        &["attention.key_value.down"],
        &["self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"],
    ),
    (
        &["attention.latent.norm"],
        &["self_attn.kv_a_layernorm", "attn_kv_a_norm"],
    ),
    (
        &["attention.key_value"],
        &["self_attn.kv_b_proj", "attn_kv_b"],
    ),
    (
        &["feed_forward.gate"],
        &[
            "mlp.gate_proj",
            "ffn_gate",
            "ffn_gate_exps",
            "mlp.experts.gate_proj",
            "block_sparse_moe.experts.w1",
        ],
    ),
    (
        &["feed_forward.up"],
        &[
            "mlp.up_proj",
            "ffn_up",
            "ffn_up_exps",
            "mlp.experts.up_proj",
            "block_sparse_moe.experts.w3",
            "mlp.c_fc",
            "mlp.fc1",
            "fc1",
            "mlp.dense_h_to_4h",
            "intermediate.dense",
        ],
    ),
    (
        &["feed_forward.gate", "feed_forward.up"],
        &["mlp.gate_up_proj", "ffn_up"],
    ),
    (
        &["feed_forward.down"],
        &[
            "mlp.down_proj",
            "ffn_down",
            "ffn_down_exps",
            "mlp.experts.down_proj",
            "block_sparse_moe.experts.w2",
            "mlp.c_proj",
            "mlp.fc2",
            "fc2",
            "mlp.dense_4h_to_h",
            "output.dense",
        ],
    ),
    (
        &["feed_forward.router"],
        &["mlp.gate", "ffn_gate_inp", "block_sparse_moe.gate"],
    ),
    (
        &["feed_forward.shared.share"],
        &["mlp.shared_expert_gate", "ffn_gate_inp_shexp"],
    ),
    (
        &["feed_forward.shared.gate"],
        &[
            "mlp.shared_experts.gate_proj",
            "mlp.shared_expert.gate_proj",
            "ffn_gate_shexp",
        ],
    ),
    (
        &["feed_forward.shared.up"],
        &[
            "mlp.shared_experts.up_proj",
            "mlp.shared_expert.up_proj",
            "ffn_up_shexp",
        ],
    ),
    (
        &["feed_forward.shared.down"],
        &[
            "mlp.shared_experts.down_proj",
            "mlp.shared_expert.down_proj",
            "ffn_down_shexp",
        ],
    ),
];

/// A module: the layer that it is of, its name behind that, and whether it is the bias.
type Module = (Option<u64>, String, bool);

/// What one takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Taken {
    bytes: u64,
    /// Of what holds one number in each element, whatever their type.
    elements: Option<u64>,
}

/// What the tensors of a file take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::load) struct Stored(BTreeMap<Module, Taken>);

/// What became of them.
#[derive(Debug, Default)]
pub(in crate::load) struct Told<'a> {
    /// Weights of the graph that have got their bytes.
    told: usize,
    /// Weights of the graph.
    all: usize,
    /// Modules that the graph has not.
    unused: Vec<&'a str>,
    /// What these take.
    bytes: u64,
}

impl Told<'_> {
    /// What is to be said of it; weights without bytes of their own count so many bits a number.
    pub(in crate::load) fn warnings(&self, bits: u64) -> Vec<Warning> {
        let mut said = Vec::new();
        if self.told < self.all {
            said.push(Warning::of_file(message!(
                "{} of {} weights of the graph count {} bits a number, for the file has none of \
                 their name",
                self.all.saturating_sub(self.told),
                self.all,
                bits
            )));
        }
        if let Some(first) = self.unused.first() {
            said.push(Warning::of_file(message!(
                "the graph has no place for {} bytes of the file, of {} first",
                self.bytes,
                *first
            )));
        }
        said
    }
}

impl Stored {
    /// Takes in a tensor of so many elements and bytes. What belongs to one matrix is summed: its
    /// scales and zero points, and all experts.
    pub(in crate::load) fn add(&mut self, name: &str, (elements, bytes): (u64, u64)) {
        let (module, last) = match name.rsplit_once('.') {
            // A module of its own.
            None | Some((_, "cls_token" | "position_embeddings")) => (name, "weight"),
            Some(parts) => parts,
        };
        if module.contains("vision") {
            return;
        }
        let (layer, rest) = layered(module);
        let key = (layer, without_expert(rest), last == "bias");
        let taken = self.0.entry(key).or_default();
        taken.bytes = taken.bytes.saturating_add(bytes);
        if matches!(last, "weight" | "bias") {
            let sum = taken.elements.unwrap_or(0).saturating_add(elements);
            taken.elements = Some(sum);
        }
    }

    /// Tells the weights of `graph` their bytes.
    pub(in crate::load) fn tell(&self, graph: &mut Graph) -> Told<'_> {
        let mut ours: BTreeMap<Module, usize> = BTreeMap::new();
        for (index, tensor) in graph.tensors.iter().enumerate() {
            let Some((module, last)) = tensor.name.rsplit_once('.') else {
                continue;
            };
            if tensor.content == Content::Stripped && matches!(last, "weight" | "bias") {
                let (layer, rest) = layered(module);
                ours.insert((layer, rest.to_owned(), last == "bias"), index);
            }
        }
        let mut told = Told {
            all: ours.len(),
            ..Told::default()
        };
        for ((layer, rest, bias), taken) in &self.0 {
            let before = told.told;
            let named = |their: &&str| {
                rest == *their || layer.is_none() && rest.ends_with(&format!(".{their}"))
            };
            let rows = ROWS.iter().filter(|(_, theirs)| theirs.iter().any(named));
            for (parts, _) in rows {
                let found = parts.iter();
                let found = found.map(|part| ours.get(&(*layer, (*part).to_owned(), *bias)));
                if let Some(found) = found.map(|it| it.copied()).collect::<Option<Vec<usize>>>() {
                    told.told += share(graph, &found, *taken);
                }
            }
            if told.told == before {
                told.unused.push(rest);
                told.bytes = told.bytes.saturating_add(taken.bytes);
            }
        }
        told
    }
}

/// Shares the bytes among these weights by their elements; how many have got some.
fn share(graph: &mut Graph, weights: &[usize], taken: Taken) -> usize {
    let elements = |graph: &Graph, at: usize| graph.tensors[at].fixed_elements().unwrap_or(0);
    let all: u128 = weights
        .iter()
        .map(|at| u128::from(elements(graph, *at)))
        .sum();
    if all == 0 || taken.elements.is_some_and(|it| u128::from(it) != all) {
        return 0;
    }
    for at in weights {
        let own = u128::from(taken.bytes) * u128::from(elements(graph, *at)) / all;
        let bytes = u64::try_from(own).unwrap_or(taken.bytes);
        graph.tensors[*at].content = Content::Packed(Bytes(bytes));
    }
    weights.len()
}

/// The first number in a name and what stands behind it.
fn layered(name: &str) -> (Option<u64>, &str) {
    let mut at = 0;
    for part in name.split('.') {
        let after = at + part.len() + 1;
        if let (Ok(layer), Some(rest)) = (part.parse(), name.get(after..)) {
            return (Some(layer), rest);
        }
        at = after;
    }
    (None, name)
}

/// The name without the number of an expert.
fn without_expert(name: &str) -> String {
    let parts = name.split('.').filter(|part| part.parse::<u64>().is_err());
    parts.collect::<Vec<_>>().join(".")
}
