// A recurrent layer: the 256 threads of a workgroup walk one sequence in one direction, with the
// state of its hidden units in workgroup memory.

// 0 a plain cell, 1 a gated one that resets its state before the product, 2 one that resets it
// after, 3 one with long memory, 4 none: y is copied from the last step of x.
override CELL: u32 = 0u;
// Bit d is 1 where direction d begins at the end.
override REVERSED: u32 = 0u;
// 1 where the weights of every gate are an operand of their own, whose addresses are in `gates`,
// and peepholes are inputs 2, 3 and 7.
override SEPARATE: u32 = 0u;
// 1 where there are biases, lengths of the sequences, states at first and peepholes.
// Of biases 2 says that only what comes from x has some.
override BIASES: u32 = 0u;
override LENGTHS: u32 = 0u;
override HIDDEN: u32 = 0u;
override MEMORY: u32 = 0u;
override PEEPHOLES: u32 = 0u;
// What the outputs are: 1 every step, 2 the last hidden state, 3 the last memory.
override ROLE0: u32 = 1u;
override ROLE1: u32 = 0u;
// 1 where there is a limit to what the functions are given, 2 where to the memory.
override LIMITED: u32 = 0u;
// 1 where the forget gate is 1 minus the input gate, 2 the other way round.
override COUPLED: u32 = 0u;
// The activations of the gates, of the new candidate and of the cell state on its way out.
override GATE: u32 = 3u;
override FRESH: u32 = 4u;
override SHOWN: u32 = 4u;

struct Params {
    steps: u32,
    batch: u32,
    // The first direction, and how many there are.
    direction: u32,
    directions: u32,
    size: u32,
    units: u32,
    // Strides of x by step and by sequence.
    x_step: u32,
    x_batch: u32,
    // Those of y by step, by direction and by sequence.
    y_step: u32,
    y_direction: u32,
    y_batch: u32,
    // Those of states by direction and by sequence.
    s_direction: u32,
    s_batch: u32,
    limit: f32,
    // Parameters of the functions.
    alpha: vec4<f32>,
    beta: vec4<f32>,
    unused: array<vec4<u32>, 4>,
    // Words where the weights of x, those of the state and the biases begin, of every gate.
    gates: array<vec4<u32>, 3>,
}

// What is in workgroup memory at most.
const MOST = 1280u;
var<workgroup> hidden: array<f32, MOST>;
var<workgroup> memory: array<f32, MOST>;
var<workgroup> next: array<f32, MOST>;

var<private> direction: u32;
var<private> sequence: u32;

fn y_place(step: u32) -> u32 {
    return step * u.p.y_step + direction * u.p.y_direction + sequence * u.p.y_batch;
}

fn state_place() -> u32 { return direction * u.p.s_direction + sequence * u.p.s_batch; }

fn write(role: u32, place: u32, value: f32) {
    if (ROLE0 == role) { out0(place, value); }
    if (ROLE1 == role) { out1(place, value); }
}

fn gates() -> u32 {
    if (CELL == 0u) { return 1u; }
    return select(3u, 4u, CELL == 3u);
}

// Whether this gate is computed in the first half: the third of a cell that resets its state before
// the product waits for the others.
fn has(gate: u32) -> bool {
    if (CELL == 1u && gate == 2u) { return false; }
    if (CELL == 3u && ((COUPLED == 1u && gate == 2u) || (COUPLED == 2u && gate == 0u))) { return false; }
    return gate < gates();
}

// Where the rows of the weights of a unit begin, of every gate, where a row has so many elements.
fn rows_of(unit: u32, elements: u32) -> vec4<u32> {
    if (SEPARATE == 1u) { return vec4<u32>(unit * elements); }
    let gate = vec4<u32>(0u, 1u, 2u, 3u) + direction * gates();
    return (gate * u.p.units + unit) * elements;
}

// Biases of x and of the state.
fn bias(state: u32, gate: u32, unit: u32) -> f32 {
    if (BIASES == 0u || (state == 1u && (BIASES == 2u || SEPARATE == 1u))) { return 0.0; }
    if (SEPARATE == 1u) { return like1(u.p.gates[2][gate], unit); }
    if (BIASES == 2u) { return in3(unit); }
    return in3(((direction * 2u + state) * gates() + gate) * u.p.units + unit);
}

fn biases(state: u32, unit: u32) -> vec4<f32> {
    var all = vec4<f32>(0.0);
    if (has(0u)) { all.x = bias(state, 0u, unit); }
    if (has(1u)) { all.y = bias(state, 1u, unit); }
    if (has(2u)) { all.z = bias(state, 2u, unit); }
    if (has(3u)) { all.w = bias(state, 3u, unit); }
    return all;
}

fn input_weight(gate: u32, place: u32) -> f32 {
    if (SEPARATE == 1u) { return like1(u.p.gates[0][gate], place); }
    return in1(place);
}

fn state_weight(gate: u32, place: u32) -> f32 {
    if (SEPARATE == 1u) { return like1(u.p.gates[1][gate], place); }
    return in2(place);
}

// Of all gates at once: what is multiplied by their weights is read once.
fn of_input(x: u32, unit: u32) -> vec4<f32> {
    let rows = rows_of(unit, u.p.size);
    var sum = biases(0u, unit);
    for (var k = 0u; k < u.p.size; k++) {
        let value = in0(x + k);
        if (has(0u)) { sum.x += value * input_weight(0u, rows.x + k); }
        if (has(1u)) { sum.y += value * input_weight(1u, rows.y + k); }
        if (has(2u)) { sum.z += value * input_weight(2u, rows.z + k); }
        if (has(3u)) { sum.w += value * input_weight(3u, rows.w + k); }
    }
    return sum;
}

fn of_hidden(unit: u32) -> vec4<f32> {
    let rows = rows_of(unit, u.p.units);
    var sum = biases(1u, unit);
    for (var k = 0u; k < u.p.units; k++) {
        let value = hidden[k];
        if (has(0u)) { sum.x += value * state_weight(0u, rows.x + k); }
        if (has(1u)) { sum.y += value * state_weight(1u, rows.y + k); }
        if (has(2u)) { sum.z += value * state_weight(2u, rows.z + k); }
        if (has(3u)) { sum.w += value * state_weight(3u, rows.w + k); }
    }
    return sum;
}

// What the third gate of a cell gets that resets its state before the product.
fn of_third(x: u32, unit: u32) -> f32 {
    let from_x = rows_of(unit, u.p.size).z;
    var sum = bias(0u, 2u, unit);
    for (var k = 0u; k < u.p.size; k++) { sum += in0(x + k) * input_weight(2u, from_x + k); }
    let from_state = rows_of(unit, u.p.units).z;
    var of_state = bias(1u, 2u, unit);
    for (var k = 0u; k < u.p.units; k++) { of_state += next[k] * state_weight(2u, from_state + k); }
    return sum + of_state;
}

fn peephole(gate: u32, unit: u32) -> f32 {
    if (PEEPHOLES == 0u) { return 0.0; }
    if (SEPARATE == 1u) {
        switch gate {
            case 0u: { return in2(unit); }
            case 1u: { return in3(unit); }
            default: { return in7(unit); }
        }
    }
    return in7((direction * 3u + gate) * u.p.units + unit);
}

// Those of unary.wgsl that layers have: where all could be called, the shader would take minutes
// to compile.
fn function_of(op: u32, x: f32, alpha: f32, beta: f32) -> f32 {
    switch op {
        case 1u: { return max(x, 0.0); }
        case 2u: { return min(max(x, alpha), beta); }
        case 3u: { return sigmoid(x); }
        case 4u: { return tanh_of(x); }
        case 16u: { return select(alpha * x, x, x >= 0.0); }
        case 17u: { return select(alpha * expm1_of(min(x, 0.0)), x, x >= 0.0); }
        case 18u: { return clamp(alpha * x + beta, 0.0, 1.0); }
        case 20u: { return softplus(x); }
        case 21u: { return x / (1.0 + abs(x)); }
        case 32u: { return select(0.0, x, x > alpha); }
        case 35u: { return alpha * x + beta; }
        case 46u: { return alpha * tanh_of(beta * x); }
        default: { return x; }
    }
}

fn bounded(x: f32) -> f32 {
    if (LIMITED == 1u) { return min(max(x, -u.p.limit), u.p.limit); }
    return x;
}

fn gate_of(x: f32) -> f32 { return function_of(GATE, bounded(x), u.p.alpha.x, u.p.beta.x); }

fn fresh_of(x: f32) -> f32 { return function_of(FRESH, bounded(x), u.p.alpha.y, u.p.beta.y); }

// What needs the hidden state of the step before: it may not change yet.
fn first_half(x: u32, unit: u32) {
    let from_x = of_input(x, unit);
    let from_state = of_hidden(unit);
    switch CELL {
        case 0u: { next[unit] = gate_of(from_x.x + from_state.x); }
        case 1u: {
            memory[unit] = gate_of(from_x.x + from_state.x);
            let reset = gate_of(from_x.y + from_state.y);
            next[unit] = reset * hidden[unit];
        }
        case 2u: {
            let kept = gate_of(from_x.x + from_state.x);
            let reset = gate_of(from_x.y + from_state.y);
            let fresh = fresh_of(from_x.z + reset * from_state.z);
            next[unit] = (1.0 - kept) * fresh + kept * hidden[unit];
        }
        default: {
            let before = memory[unit];
            var taken = 0.0;
            var kept = 0.0;
            if (COUPLED != 2u) {
                taken = gate_of(from_x.x + from_state.x + peephole(0u, unit) * before);
                kept = 1.0 - taken;
            }
            if (COUPLED != 1u) {
                kept = gate_of(from_x.z + from_state.z + peephole(2u, unit) * before);
            }
            if (COUPLED == 2u) { taken = 1.0 - kept; }
            var now = kept * before + taken * fresh_of(from_x.w + from_state.w);
            if (LIMITED == 2u) { now = min(max(now, -u.p.limit), u.p.limit); }
            let shown = gate_of(from_x.y + from_state.y + peephole(1u, unit) * now);
            memory[unit] = now;
            next[unit] = shown * function_of(SHOWN, now, u.p.alpha.z, u.p.beta.z);
        }
    }
}

fn second_half(x: u32, unit: u32) -> f32 {
    if (CELL != 1u) { return next[unit]; }
    let fresh = fresh_of(of_third(x, unit));
    return (1.0 - memory[unit]) * fresh + memory[unit] * hidden[unit];
}

fn walk(thread: u32, count: u32, reversed: bool) {
    for (var unit = thread; unit < u.p.units; unit += 256u) {
        hidden[unit] = 0.0;
        memory[unit] = 0.0;
        if (HIDDEN == 1u) { hidden[unit] = in5(state_place() + unit); }
        if (MEMORY == 1u) { memory[unit] = in6(state_place() + unit); }
    }
    workgroupBarrier();
    // Every thread takes every step, so that all meet at the barriers.
    for (var n = 0u; n < u.p.steps; n++) {
        let step = select(n, count - 1u - n, reversed && n < count);
        let x = step * u.p.x_step + sequence * u.p.x_batch;
        if (n < count) {
            for (var unit = thread; unit < u.p.units; unit += 256u) { first_half(x, unit); }
        }
        workgroupBarrier();
        for (var unit = thread; unit < u.p.units; unit += 256u) {
            if (n < count) { hidden[unit] = second_half(x, unit); }
            write(1u, y_place(step) + unit, select(0.0, hidden[unit], n < count));
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let pair = group_number(group, groups);
    if (pair >= u.p.directions * u.p.batch) { return; }
    direction = u.p.direction + pair / u.p.batch;
    sequence = pair % u.p.batch;
    var count = u.p.steps;
    if (LENGTHS == 1u) { count = min(load(IN4, u.more.x + sequence), count); }
    let reversed = ((REVERSED >> direction) & 1u) == 1u;
    if (CELL == 4u) {
        let last = y_place(select(max(count, 1u) - 1u, 0u, reversed));
        for (var unit = thread; unit < u.p.units; unit += 256u) {
            out0(state_place() + unit, select(0.0, in0(last + unit), count > 0u));
        }
        return;
    }
    walk(thread, count, reversed);
    for (var unit = thread; unit < u.p.units; unit += 256u) {
        write(2u, state_place() + unit, select(0.0, hidden[unit], count > 0u));
        write(3u, state_place() + unit, select(0.0, memory[unit], count > 0u));
    }
}
