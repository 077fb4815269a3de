// An LSTM layer on quantised elements: the 256 threads of a workgroup walk one
// sequence, with the state of its units in workgroup memory.

// 1 where gates read the cell state, by weights that are inputs 2, 3 and 7.
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
    // Zero points of x, of the hidden state as it is read and as it is computed, and the bound of
    // the cell state or 0.
    x_zero: i32,
    hidden_zero: i32,
    y_zero: i32,
    limit: i32,
    // Of every gate (input, forget, cell, output): mantissa and shift of what products with x and
    // with the hidden state are multiplied by.
    factors: array<vec4<i32>, 4>,
    // The same of products with the cell state, then of the new hidden state.
    input_cell: vec2<i32>,
    forget_cell: vec2<i32>,
    output_cell: vec2<i32>,
    of_hidden: vec2<i32>,
    // How many places a product of two gates has more than the cell state.
    places: i32,
    unused0: u32,
    unused1: u32,
    unused2: u32,
    // Words where the weights of x, those of the hidden state and the biases begin, of every gate.
    gates: array<vec4<u32>, 3>,
}

// What is in workgroup memory at most.
const MOST = 1280u;
var<workgroup> hidden: array<i32, MOST>;
var<workgroup> cells: array<i32, MOST>;
var<workgroup> next: array<i32, MOST>;

// The functions of numbers of 16 bits that stand in the table: the logistic one, tanh of the
// candidate and tanh of the cell state.
fn function_of(number: u32, x: i32) -> i32 {
    return narrow(I16, IN1, u.inputs.y, number * 65536u + (bitcast<u32>(x) & 0xffffu));
}

fn bounded(x: i32) -> i32 { return clamp(x, -32768, 32767); }

// What goes into the function of a gate.
fn gate(x: u32, number: u32, unit: u32) -> i32 {
    var sum = bitcast<i32>(load(IN1, u.p.gates[2][number] + unit));
    let of_x = u.p.gates[0][number];
    for (var k = 0u; k < u.p.size; k++) {
        sum += (narrow(I8, IN0, u.inputs.x, x + k) - u.p.x_zero) * narrow(I8, IN1, of_x, unit * u.p.size + k);
    }
    let of_hidden = u.p.gates[1][number];
    var other = 0;
    for (var k = 0u; k < u.p.units; k++) {
        other += (hidden[k] - u.p.hidden_zero) * narrow(I8, IN1, of_hidden, unit * u.p.units + k);
    }
    let factors = u.p.factors[number];
    return bounded(bounded(times(sum, factors.x, factors.y)) + times(other, factors.z, factors.w));
}

// The same with a weight of the cell state.
fn with_cell(x: i32, weight: i32, unit: u32, factor: vec2<i32>) -> i32 {
    return bounded(x + times(weight * cells[unit], factor.x, factor.y));
}

// What needs the hidden state of the step before: it may not change yet.
fn first_half(x: u32, unit: u32) {
    var forget = gate(x, 1u, unit);
    if (PEEPHOLES == 1u) { forget = with_cell(forget, narrow(I16, IN3, u.inputs.w, unit), unit, u.p.forget_cell); }
    forget = function_of(0u, forget);
    var input = 32767 - forget;
    if (COUPLED == 0u) {
        input = gate(x, 0u, unit);
        if (PEEPHOLES == 1u) { input = with_cell(input, narrow(I16, IN2, u.inputs.z, unit), unit, u.p.input_cell); }
        input = function_of(0u, input);
    }
    let candidate = function_of(1u, gate(x, 2u, unit));
    var now = rounded_shift(forget * cells[unit], 15) + rounded_shift(input * candidate, u.p.places);
    now = bounded(now);
    if (u.p.limit > 0) { now = clamp(now, -u.p.limit, u.p.limit); }
    cells[unit] = now;
    var output = gate(x, 3u, unit);
    if (PEEPHOLES == 1u) { output = with_cell(output, narrow(I16, IN7, u.last.y, unit), unit, u.p.output_cell); }
    let y = times(function_of(0u, output) * function_of(2u, now), u.p.of_hidden.x, u.p.of_hidden.y);
    next[unit] = clamp(y + u.p.y_zero, -128, 127);
}

// Writes element i of `count`, and zeros after the last one: a thread changes no other bits.
fn write(space: u32, base: u32, i: u32, count: u32, width: u32, value: i32) {
    let lane = i * width % 32u;
    let own = select(width, 32u - lane, i + 1u == count);
    let bits = insertBits(0u, bitcast<u32>(value), lane, width);
    blend(space, base + i * width / 32u, ~insertBits(0u, 0xffffffffu, lane, own), bits);
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
        hidden[unit] = narrow(I8, IN5, u.more.y, state + unit);
        cells[unit] = narrow(I16, IN6, u.last.x, state + unit);
    }
    workgroupBarrier();
    for (var step = 0u; step < u.p.steps; step++) {
        let x = step * u.p.x_step + sequence * u.p.x_batch;
        let y = step * u.p.y_step + sequence * u.p.y_batch;
        for (var unit = thread; unit < u.p.units; unit += 256u) { first_half(x, unit); }
        workgroupBarrier();
        for (var unit = thread; unit < u.p.units; unit += 256u) {
            hidden[unit] = next[unit];
            write(OUT0, u.more.z, y + unit, u.p.steps * u.p.batch * u.p.units, 8u, next[unit]);
        }
        workgroupBarrier();
    }
    for (var unit = thread; unit < u.p.units; unit += 256u) {
        write(OUT1, u.more.w, state + unit, u.p.batch * u.p.units, 16u, cells[unit]);
    }
}
