// A recurrent layer whose weights are integers of 8 bits: at each step x and the state become integers of 8 bits by their own ranges; the 256 threads of a workgroup walk one sequence.

// 1 for an LSTM, 0 for a plain cell.
override LONG: u32 = 0u;
// 1 where gates read the memory, by weights that are inputs 2, 3 and 7.
override PEEPHOLES: u32 = 0u;
// 1 where there is no input gate: what the forget gate leaves stands for it.
override COUPLED: u32 = 0u;

struct Params {
    steps: u32,
    batch: u32,
    size: u32,
    units: u32,
    // Strides of x by step and by sequence, then those of y.
    x_step: u32,
    x_batch: u32,
    y_step: u32,
    y_batch: u32,
    // Parameters of the activation.
    alpha: f32,
    beta: f32,
    // What bounds the memory, or 0.
    limit: f32,
    none: u32,
    // Scales of the weights of x and of the state, of every gate (input, forget, cell, output), then
    // of the memory (input, forget, output).
    scales: array<vec4<f32>, 3>,
    unused: array<vec4<u32>, 4>,
    // Words where the weights of x, those of the state and the biases begin, of every gate.
    gates: array<vec4<u32>, 3>,
}

// What is in workgroup memory at most.
const MOST = 1280u;
// The state before a step as integers, and that after it.
var<workgroup> hidden: array<i32, MOST>;
var<workgroup> next: array<f32, MOST>;
var<workgroup> memory: array<f32, MOST>;
var<workgroup> lows: array<f32, 64>;
var<workgroup> highs: array<f32, 64>;
// Of x and of the state: scale, its inverse and the zero point.
var<workgroup> steps: array<vec3<f32>, 2>;

// The range of a row of which each of 64 threads has seen a part.
fn joined(thread: u32, which: u32, low: f32, high: f32) {
    if (thread < 64u) {
        lows[thread] = low;
        highs[thread] = high;
    }
    workgroupBarrier();
    if (thread == 0u) {
        var ends = vec2<f32>(low, high);
        for (var other = 1u; other < 64u; other++) {
            ends = vec2<f32>(min(ends.x, lows[other]), max(ends.y, highs[other]));
        }
        steps[which] = range_of(ends.x, ends.y);
    }
    workgroupBarrier();
}

// Where an element of the weights of every gate is; a plain cell has one gate.
fn weights_of(gates: vec4<u32>, at: u32) -> vec4<i32> {
    let first = narrow(I8, IN1, gates.x, at);
    if (LONG == 0u) { return vec4<i32>(first, 0, 0, 0); }
    return vec4<i32>(
        first, narrow(I8, IN1, gates.y, at), narrow(I8, IN1, gates.z, at), narrow(I8, IN1, gates.w, at),
    );
}

fn biases_of(unit: u32) -> vec4<f32> {
    let gates = u.p.gates[2];
    let first = bitcast<f32>(load(IN1, gates.x + unit));
    if (LONG == 0u) { return vec4<f32>(first, 0.0, 0.0, 0.0); }
    return bitcast<vec4<f32>>(vec4<u32>(
        bitcast<u32>(first), load(IN1, gates.y + unit), load(IN1, gates.z + unit), load(IN1, gates.w + unit),
    ));
}

fn all_rounded(x: vec4<f32>) -> vec4<f32> { return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) ^ vec4<u32>(u.p.none)); }

// What goes into the functions of the gates: what is multiplied by their weights is read once.
fn gates_of(x: u32, unit: u32) -> vec4<f32> {
    var sums = vec4<i32>(0);
    for (var k = 0u; k < u.p.size; k++) {
        sums += integer(in0(x + k), steps[0]) * weights_of(u.p.gates[0], unit * u.p.size + k);
    }
    var others = vec4<i32>(0);
    for (var k = 0u; k < u.p.units; k++) {
        others += hidden[k] * weights_of(u.p.gates[1], unit * u.p.units + k);
    }
    let own = all_rounded(vec4<f32>(sums) * all_rounded(steps[0].x * u.p.scales[0]));
    let before = all_rounded(vec4<f32>(others) * all_rounded(steps[1].x * u.p.scales[1]));
    return all_rounded(biases_of(unit) + own) + before;
}

// What the memory adds to it.
fn of_memory(which: u32, weight: i32, unit: u32) -> f32 {
    return rounded(rounded(f32(weight) * u.p.scales[2][which]) * memory[unit]);
}

fn opened(x: f32) -> f32 { return rounded(sigmoid(x)); }

fn activation(x: f32) -> f32 { return rounded(activated(x, u.p.alpha, u.p.beta)); }

// The state of a unit after a step.
fn after(x: u32, unit: u32) -> f32 {
    let gates = gates_of(x, unit);
    if (LONG == 0u) { return activation(gates.x); }
    var forget = gates.y;
    if (PEEPHOLES == 1u) { forget += of_memory(1u, narrow(I8, IN3, u.inputs.w, unit), unit); }
    let kept = opened(forget);
    var taken = 1.0 - kept;
    if (COUPLED == 0u) {
        var input = gates.x;
        if (PEEPHOLES == 1u) { input += of_memory(0u, narrow(I8, IN2, u.inputs.z, unit), unit); }
        taken = opened(input);
    }
    let fresh = activation(gates.z);
    var now = rounded(kept * memory[unit]) + rounded(fresh * taken);
    if (u.p.limit > 0.0) { now = clamp_of(now, -u.p.limit, u.p.limit); }
    memory[unit] = now;
    var output = gates.w;
    if (PEEPHOLES == 1u) { output += of_memory(2u, narrow(I8, IN7, u.last.y, unit), unit); }
    return opened(output) * activation(now);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let sequence = group_number(group, groups);
    if (sequence >= u.p.batch) { return; }
    let state = sequence * u.p.units;
    for (var unit = thread; unit < u.p.units; unit += 256u) {
        next[unit] = in5(state + unit);
        if (LONG == 1u) { memory[unit] = in6(state + unit); }
    }
    workgroupBarrier();
    for (var step = 0u; step < u.p.steps; step++) {
        let x = step * u.p.x_step + sequence * u.p.x_batch;
        var low = 0.0;
        var high = 0.0;
        for (var k = thread; thread < 64u && k < u.p.size; k += 64u) {
            low = min(low, in0(x + k));
            high = max(high, in0(x + k));
        }
        joined(thread, 0u, low, high);
        low = 0.0;
        high = 0.0;
        for (var k = thread; thread < 64u && k < u.p.units; k += 64u) {
            low = min(low, next[k]);
            high = max(high, next[k]);
        }
        joined(thread, 1u, low, high);
        for (var unit = thread; unit < u.p.units; unit += 256u) { hidden[unit] = integer(next[unit], steps[1]); }
        workgroupBarrier();
        let y = step * u.p.y_step + sequence * u.p.y_batch;
        for (var unit = thread; unit < u.p.units; unit += 256u) {
            next[unit] = after(x, unit);
            out0(y + unit, next[unit]);
        }
        workgroupBarrier();
    }
    for (var unit = thread; unit < u.p.units; unit += 256u) {
        if (LONG == 1u) { out1(state + unit, memory[unit]); } else { out1(state + unit, next[unit]); }
    }
}
