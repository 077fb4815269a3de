//! Small training steps as program JSON: forward, backward and update, with all that the backward
//! pass reads kept, or computed again segment by segment.
//!
//! The loss is the sum of the squares of the last tensor, whose gradient is twice that tensor.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// What a step trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Four products with a ReLU after each, wide and narrow in turn.
    Perceptron,
    /// Three convolutions of 3 × 3 with a ReLU after each.
    Convolutions,
    /// Attention of four heads twice, over sequences.
    Attention,
}

/// Every network.
pub const NETWORKS: [Network; 3] = [
    Network::Perceptron,
    Network::Convolutions,
    Network::Attention,
];

/// The training step of a network; with `recompute` the forward tensors inside a segment go
/// after their last forward use and come back before the backward pass reads them.
#[must_use]
pub fn step(network: Network, recompute: bool) -> Vec<u8> {
    let mut step = Step::default();
    let last = match network {
        Network::Perceptron => step.perceptron(),
        Network::Convolutions => step.convolutions(),
        Network::Attention => step.attention(),
    };
    step.finish(&last);
    let schedule = step.schedule(recompute);
    let program = json!({
        "arenascope_program": 1,
        "name": format!("{network:?}"),
        "opset": 17,
        "tensors": step.tensors.values().collect::<Vec<_>>(),
        "operators": step.ops.iter().map(|op| &op.json).collect::<Vec<_>>(),
        "schedule": schedule,
    });
    program.to_string().into_bytes()
}

/// An operator, the segment that it is in if it is of the forward pass, and its phase.
struct Op {
    name: String,
    inputs: Vec<String>,
    output: String,
    phase: &'static str,
    json: Value,
}

/// What the backward pass does with the gradient of a tensor.
enum Backward {
    Product(String, String),
    Relu(String),
    Softmax(String),
    Convolution(String, String),
    Swap(String),
}

#[derive(Default)]
struct Step {
    tensors: BTreeMap<String, Value>,
    dims: BTreeMap<String, Vec<u64>>,
    ops: Vec<Op>,
    tape: Vec<(String, Backward)>,
    weights: Vec<String>,
    /// Ends of segments, which stay.
    kept: BTreeSet<String>,
    gradients: BTreeMap<String, String>,
    phase: Option<&'static str>,
}

impl Step {
    fn input(&mut self, name: &str, dims: &[u64]) -> String {
        let tensor = json!({"name": name, "shape": dims, "role": "input"});
        self.tensors.insert(name.into(), tensor);
        self.dims.insert(name.into(), dims.to_vec());
        name.into()
    }

    fn weight(&mut self, dims: &[u64]) -> String {
        let name = format!("w{}", self.weights.len());
        self.weights.push(name.clone());
        self.input(&name, dims)
    }

    fn op(&mut self, kind: &str, inputs: &[&str], dims: Vec<u64>, attributes: Value) -> String {
        let number = self.ops.len();
        let (name, output) = (format!("{kind}_{number}"), format!("t{number}"));
        let tensor = json!({"name": output, "shape": dims});
        self.tensors.insert(output.clone(), tensor);
        self.dims.insert(output.clone(), dims);
        self.ops.push(Op {
            json: json!({"name": name, "kind": kind, "inputs": inputs, "outputs": [output],
                "attributes": attributes}),
            inputs: inputs.iter().map(|&input| input.into()).collect(),
            name,
            output: output.clone(),
            phase: self.phase.unwrap_or("forward"),
        });
        output
    }

    fn same(&mut self, kind: &str, inputs: &[&str]) -> String {
        let dims = self.dims[inputs[0]].clone();
        self.op(kind, inputs, dims, json!({}))
    }

    /// The product of matrices, one for each of the dimensions before the last two.
    fn product_of(&mut self, a: &str, b: &str) -> String {
        let mut dims = self.dims[a].clone();
        let columns = self.dims[b].last().copied().unwrap_or(1);
        *dims.last_mut().expect("a matrix") = columns;
        self.op("MatMul", &[a, b], dims, json!({}))
    }

    /// Two dimensions change places.
    fn swapped(&mut self, x: &str, [a, b]: [usize; 2]) -> String {
        let mut dims = self.dims[x].clone();
        let mut order: Vec<usize> = (0..dims.len()).collect();
        dims.swap(a, b);
        order.swap(a, b);
        self.op("Transpose", &[x], dims, json!({ "perm": order }))
    }

    fn last_two(&self, x: &str) -> [usize; 2] {
        let rank = self.dims[x].len();
        [rank - 2, rank - 1]
    }

    fn product(&mut self, a: &str, b: &str) -> String {
        let y = self.product_of(a, b);
        let backward = Backward::Product(a.into(), b.into());
        self.tape.push((y.clone(), backward));
        y
    }

    fn relu(&mut self, x: &str) -> String {
        let y = self.same("Relu", &[x]);
        self.tape.push((y.clone(), Backward::Relu(x.into())));
        y
    }

    fn convolution(&mut self, x: &str, w: &str) -> String {
        let mut dims = self.dims[x].clone();
        dims[1] = self.dims[w][0];
        let attributes = json!({"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]});
        let y = self.op("Conv", &[x, w], dims, attributes);
        let backward = Backward::Convolution(x.into(), w.into());
        self.tape.push((y.clone(), backward));
        y
    }

    fn perceptron(&mut self) -> String {
        let mut x = self.input("x", &[32, 16]);
        for [from, to] in [[16, 96], [96, 16], [16, 96], [96, 16]] {
            let w = self.weight(&[from, to]);
            let product = self.product(&x, &w);
            x = self.relu(&product);
            self.kept.insert(x.clone());
        }
        x
    }

    fn convolutions(&mut self) -> String {
        let mut x = self.input("x", &[1, 4, 12, 12]);
        for [from, to] in [[4, 16], [16, 16], [16, 8]] {
            let w = self.weight(&[to, from, 3, 3]);
            let made = self.convolution(&x, &w);
            x = self.relu(&made);
            self.kept.insert(x.clone());
        }
        x
    }

    fn attention(&mut self) -> String {
        let mut x = self.input("x", &[2, 48, 16]);
        for _ in 0..2 {
            let mut projected = Vec::new();
            for _ in 0..3 {
                let w = self.weight(&[2, 16, 16]);
                projected.push(self.product(&x, &w));
            }
            let places = self.last_two(&projected[1]);
            let keys = self.swapped(&projected[1], places);
            let swap = Backward::Swap(projected[1].clone());
            self.tape.push((keys.clone(), swap));
            let scores = self.product(&projected[0], &keys);
            let dims = self.dims[&scores].clone();
            let shares = self.op("Softmax", &[&scores], dims, json!({"axis": -1}));
            let backward = Backward::Softmax(scores);
            self.tape.push((shares.clone(), backward));
            x = self.product(&shares, &projected[2]);
            self.kept.insert(x.clone());
        }
        x
    }

    /// Adds to the gradient of `of`; the input of the network has none.
    fn add(&mut self, of: &str, gradient: String) {
        if of == "x" {
            return;
        }
        let sum = match self.gradients.get(of).cloned() {
            Some(before) => self.same("Add", &[&before, &gradient]),
            None => gradient,
        };
        self.gradients.insert(of.into(), sum);
    }

    fn back(&mut self, y: &str, backward: &Backward) {
        let Some(dy) = self.gradients.get(y).cloned() else {
            return;
        };
        match backward {
            Backward::Product(a, b) => {
                let places = self.last_two(a);
                let (a_swapped, b_swapped) = (self.swapped(a, places), self.swapped(b, places));
                let of_a = self.product_of(&dy, &b_swapped);
                self.add(a, of_a);
                let of_b = self.product_of(&a_swapped, &dy);
                self.add(b, of_b);
            }
            Backward::Relu(x) => {
                let sign = self.same("Sign", &[y]);
                let of_x = self.same("Mul", &[&dy, &sign]);
                self.add(x, of_x);
            }
            Backward::Softmax(x) => {
                let weighted = self.same("Mul", &[&dy, y]);
                let mut dims = self.dims[&weighted].clone();
                let axis = dims.len() - 1;
                dims[axis] = 1;
                let sum = self.op(
                    "ReduceSum",
                    &[&weighted],
                    dims,
                    json!({"axes": [axis], "keepdims": 1}),
                );
                let centred = self.same("Sub", &[&dy, &sum]);
                let of_x = self.same("Mul", &[y, &centred]);
                self.add(x, of_x);
            }
            Backward::Convolution(x, w) => self.back_convolution(&dy, x, w),
            Backward::Swap(x) => {
                let places = self.last_two(x);
                let of_x = self.swapped(&dy, places);
                self.add(x, of_x);
            }
        }
    }

    /// The gradient of the weights is a convolution of the input by the gradient, channels and
    /// images having changed places.
    fn back_convolution(&mut self, dy: &str, x: &str, w: &str) {
        let pads = [1, 1, 1, 1];
        if x != "x" {
            let dims = self.dims[x].clone();
            let attributes = json!({"kernel_shape": [3, 3], "pads": pads});
            let of_x = self.op("ConvTranspose", &[dy, w], dims, attributes);
            self.add(x, of_x);
        }
        let sides = self.dims[x][2..].to_vec();
        let (images, filters) = (self.swapped(x, [0, 1]), self.swapped(dy, [0, 1]));
        let dims = vec![self.dims[x][1], self.dims[w][0], 3, 3];
        let attributes = json!({"kernel_shape": sides, "pads": pads});
        let made = self.op("Conv", &[&images, &filters], dims, attributes);
        let of_w = self.swapped(&made, [0, 1]);
        self.add(w, of_w);
    }

    /// Loss, backward pass and update.
    fn finish(&mut self, last: &str) {
        let rate = self.input("rate", &[1]);
        self.phase = Some("backward");
        let squares = self.same("Mul", &[last, last]);
        let loss = self.op("ReduceSum", &[&squares], vec![], json!({"keepdims": 0}));
        let gradient = self.same("Add", &[last, last]);
        self.add(last, gradient);
        let tape = std::mem::take(&mut self.tape);
        for (y, backward) in tape.iter().rev() {
            self.back(y, backward);
        }
        self.phase = Some("update");
        let mut outputs = vec![loss];
        for w in self.weights.clone() {
            let gradient = self.gradients[&w].clone();
            let change = self.same("Mul", &[&gradient, &rate]);
            outputs.push(self.same("Sub", &[&w, &change]));
        }
        for output in outputs {
            self.tensors.get_mut(&output).expect("it was made")["role"] = json!("output");
        }
    }

    fn schedule(&self, recompute: bool) -> Vec<Value> {
        let (forward, rest): (Vec<&Op>, Vec<&Op>) =
            self.ops.iter().partition(|op| op.phase == "forward");
        let by: BTreeMap<&str, &Op> = forward.iter().map(|op| (&*op.output, *op)).collect();
        let mut gone = BTreeSet::new();
        if recompute {
            let mut asked: Vec<&str> = rest.iter().flat_map(|op| strs(&op.inputs)).collect();
            while let Some(name) = asked.pop() {
                if let Some(op) = by.get(name)
                    && !self.kept.contains(name)
                    && gone.insert(name)
                {
                    asked.extend(strs(&op.inputs));
                }
            }
        }
        let last_use = |name: &str| {
            let uses = |op: &&Op| op.output == name || op.inputs.iter().any(|x| x == name);
            forward.iter().rposition(uses)
        };
        let mut steps = Vec::new();
        for (at, op) in forward.iter().enumerate() {
            steps.push(json!({"kind": "compute", "operator": op.name, "phase": "forward"}));
            for name in gone.iter().filter(|name| last_use(name) == Some(at)) {
                steps.push(json!({"kind": "evict", "tensor": name, "phase": "forward"}));
            }
        }
        let mut there = BTreeSet::new();
        for op in rest {
            let wanted: BTreeSet<&str> = strs(&op.inputs).collect();
            let mut needed = wanted;
            // What is computed again needs what is before it, too.
            for before in forward.iter().rev() {
                let name = before.output.as_str();
                if needed.contains(name) && gone.contains(name) && !there.contains(name) {
                    needed.extend(strs(&before.inputs));
                }
            }
            for before in &forward {
                let name = before.output.as_str();
                if needed.contains(name) && gone.contains(name) && there.insert(name) {
                    steps.push(
                        json!({"kind": "recompute", "operator": before.name, "phase": "backward"}),
                    );
                }
            }
            steps.push(json!({"kind": "compute", "operator": op.name, "phase": op.phase}));
        }
        steps
    }
}

fn strs(names: &[String]) -> impl Iterator<Item = &str> {
    names.iter().map(String::as_str)
}
