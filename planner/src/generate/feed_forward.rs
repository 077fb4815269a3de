//! The feed-forward part of a layer, or several of them of which each token takes some.

use super::builder::{Builder, whole};
use super::model::Model;
use super::transformer::{Activation, Experts, FeedForward};
use crate::graph::{Attribute, TensorId};
use crate::operators::Operator;

/// The feed-forward part of a layer over tokens of (b, s, h).
pub(super) fn feed_forward(
    it: &mut Builder,
    model: &Model<'_>,
    of: TensorId,
    layer: u64,
) -> TensorId {
    let own = model.description.feed_forward;
    let Some(experts) = model.description.experts_of(layer) else {
        return dense(it, model, own, of);
    };
    let routed = routed(it, model, experts, of);
    match experts.shared {
        0 => routed,
        shared => {
            let size = experts.size * shared;
            let shared = it.within("shared".to_owned(), |it| {
                let made = dense(it, model, FeedForward { size, ..own }, of);
                if !experts.shared_gate {
                    return made;
                }
                let share = it.linear("share", of, (model.description.hidden, 1), false);
                let share = it.op(Operator::Sigmoid, "share.sigmoid", &[share], &[]);
                it.op(Operator::Mul, "shared", &[made, share], &[])
            });
            it.op(Operator::Add, "with_shared", &[routed, shared], &[])
        }
    }
}

fn activation(of: FeedForward) -> Operator {
    match of.activation {
        Activation::Gelu => Operator::Gelu,
        Activation::Silu => Operator::Swish,
        Activation::Relu => Operator::Relu,
    }
}

/// One part: two products, or three where one gates another.
fn dense(it: &mut Builder, model: &Model<'_>, own: FeedForward, of: TensorId) -> TensorId {
    let (hidden, bias) = (model.description.hidden, model.description.bias);
    let inside = match own.gated {
        false => {
            let up = it.linear("up", of, (hidden, own.size), bias);
            it.op(activation(own), "activation", &[up], &[])
        }
        true => {
            let gate = it.linear("gate", of, (hidden, own.size), bias);
            let gate = it.op(activation(own), "activation", &[gate], &[]);
            let up = it.linear("up", of, (hidden, own.size), bias);
            it.op(Operator::Mul, "gated", &[gate, up], &[])
        }
    };
    it.linear("down", inside, (own.size, hidden), bias)
}

/// Each token goes to some of the experts: rows are put in the order of experts, and back.
fn routed(it: &mut Builder, model: &Model<'_>, experts: Experts, of: TensorId) -> TensorId {
    let hidden = model.description.hidden;
    let own = model.description.feed_forward;
    let active = whole(experts.active);
    let logits = it.linear("router", of, (hidden, experts.count), false);
    let axis = [("axis", Attribute::Int(-1))];
    let shares = it.op(Operator::Softmax, "router.probabilities", &[logits], &axis);
    let most = it.integers("router.active", &[active]);
    let [chosen, which] = it.top("router.chosen", shares, most);
    let which = it.reshaped("router.flat", which, &[-1]);
    // Rows of one expert stand together.
    let count = it.op(Operator::Shape, "router.count", &[which], &[]);
    let [sorted, order] = it.top("router.sorted", which, count);
    let per_token = it.integers("router.per_token", &[active]);
    let token = it.op(Operator::Div, "router.token", &[order, per_token], &[]);
    let rows = it.reshaped("rows", of, &[-1, whole(hidden)]);
    let rows = it.op(Operator::Gather, "rows.by_expert", &[rows, token], &[]);
    let product = |it: &mut Builder, name: &str, of: TensorId, (from, to): (u64, u64)| {
        let weight = it.weight(&format!("{name}.weight"), &[experts.count, from, to]);
        it.op(Operator::GroupedMatMul, name, &[of, weight, sorted], &[])
    };
    let up = product(it, "up", rows, (hidden, experts.size));
    let inside = match own.gated {
        false => it.op(activation(own), "activation", &[up], &[]),
        true => {
            let gate = product(it, "gate", rows, (hidden, experts.size));
            let gate = it.op(activation(own), "activation", &[gate], &[]);
            it.op(Operator::Mul, "gated", &[gate, up], &[])
        }
    };
    let down = product(it, "down", inside, (experts.size, hidden));
    let [_, back] = it.top("router.back", order, count);
    let by_token = it.op(Operator::Gather, "down.by_token", &[down, back], &[]);
    let by_token = it.reshaped("down.of_token", by_token, &[-1, active, whole(hidden)]);
    let shares = it.reshaped("router.shares", chosen, &[-1, active, 1]);
    let weighed = it.op(Operator::Mul, "down.weighed", &[by_token, shares], &[]);
    let axes = it.integers("down.axes", &[1]);
    let keep = [("keepdims", Attribute::Int(0))];
    let sum = it.op(Operator::ReduceSum, "down.sum", &[weighed, axes], &keep);
    // Back to (b, s, h): the sizes are those of what came in.
    let shape = it.op(Operator::Shape, "shape", &[of], &[]);
    it.op(Operator::Reshape, "joined", &[sum, shape], &[])
}

impl Builder {
    /// The largest elements of the last dimension and where they are.
    fn top(&mut self, name: &str, of: TensorId, most: TensorId) -> [TensorId; 2] {
        let names = (name, &*format!("{name}.places"));
        self.run_two(Operator::TopK, names, &[of, most], &[])
    }
}
