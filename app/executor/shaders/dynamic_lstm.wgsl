// An LSTM whose weights are integers of 8 bits: all of x, and at each step all states, become integers of 8 bits by their own range; the 256 threads of a workgroup walk one direction.

// Bit d is 1 where direction d begins at the end.
override REVERSED: u32 = 0u;
// Types of the weights of x and of the state.
override W: u32 = 9u;
override R: u32 = 9u;
// 1 where there are biases and states at first.
override BIASES: u32 = 0u;
override HIDDEN: u32 = 0u;
override MEMORY: u32 = 0u;
// What the outputs are: 1 every step, 2 the last hidden state, 3 the last memory.
override ROLE0: u32 = 1u;
override ROLE1: u32 = 0u;
// 1 where there is a limit to what the functions are given.
override LIMITED: u32 = 0u;

struct Params {
    steps: u32,
    batch: u32,
    direction: u32,
    directions: u32,
    size: u32,
    units: u32,
    x_step: u32,
    x_batch: u32,
    y_step: u32,
    y_direction: u32,
    y_batch: u32,
    s_direction: u32,
    s_batch: u32,
    limit: f32,
}

const MOST = 1024u;
var<workgroup> hidden: array<f32, MOST>;
var<workgroup> memory: array<f32, MOST>;
var<workgroup> next: array<f32, MOST>;
var<workgroup> lows: array<f32, 256>;
var<workgroup> highs: array<f32, 256>;
// Scale and zero point.
var<workgroup> steps: vec2<f32>;

var<private> direction: u32;

fn write(role: u32, place: u32, value: f32) {
    if (ROLE0 == role) { out0(place, value); }
    if (ROLE1 == role) { out1(place, value); }
}

fn joined(thread: u32) {
    workgroupBarrier();
    if (thread == 0u) {
        var low = 0.0;
        var high = 0.0;
        for (var other = 0u; other < 256u; other++) {
            low = min(low, lows[other]);
            high = max(high, highs[other]);
        }
        let scale = select((high - low) / 255.0, 1.0, high == low);
        steps = vec2<f32>(scale, round(clamp(-low / scale, 0.0, 255.0)));
    }
    workgroupBarrier();
}

fn seen(thread: u32, x: f32) {
    lows[thread] = min(lows[thread], x);
    highs[thread] = max(highs[thread], x);
}

fn quantised(x: f32, by: vec2<f32>) -> i32 {
    return i32(clamp(round(x / by.x) + by.y, 0.0, 255.0) - by.y);
}

// Of every gate: scales of the weights of x, their zero points, or the same of those of the state.
fn table(which: u32, unit: u32) -> vec4<f32> {
    let row = 4u * u.p.units;
    let at = (which * u.p.directions + direction) * row + unit;
    return vec4<f32>(in4(at), in4(at + u.p.units), in4(at + 2u * u.p.units), in4(at + 3u * u.p.units));
}

fn narrow(kind: u32, space: u32, base: u32, i: u32) -> i32 {
    return bitcast<i32>(whole(kind, raw(kind, space, base, i)).x);
}

fn four(kind: u32, space: u32, base: u32, i: u32) -> vec4<i32> {
    return vec4<i32>(
        narrow(kind, space, base, i), narrow(kind, space, base, i + u.p.units),
        narrow(kind, space, base, i + 2u * u.p.units), narrow(kind, space, base, i + 3u * u.p.units),
    );
}

// Of all gates at once: what is multiplied by their weights is read once.
fn of_input(x: u32, unit: u32, by: vec2<f32>) -> vec4<f32> {
    let zeros = vec4<i32>(table(1u, unit));
    let row = 4u * u.p.units;
    var sums = vec4<i32>(0);
    for (var k = 0u; k < u.p.size; k++) {
        let w = four(W, IN1, u.inputs.y, (direction * u.p.size + k) * row + unit);
        sums += quantised(in0(x + k), by) * (w - zeros);
    }
    return vec4<f32>(sums) * (by.x * table(0u, unit));
}

fn of_hidden(sequence: u32, unit: u32, by: vec2<f32>) -> vec4<f32> {
    let zeros = vec4<i32>(table(3u, unit));
    let row = 4u * u.p.units;
    var sums = vec4<i32>(0);
    for (var k = 0u; k < u.p.units; k++) {
        let r = four(R, IN2, u.inputs.z, (direction * u.p.units + k) * row + unit);
        sums += quantised(hidden[sequence * u.p.units + k], by) * (r - zeros);
    }
    return vec4<f32>(sums) * (by.x * table(2u, unit));
}

fn bias(gate: u32, unit: u32) -> f32 {
    if (BIASES == 0u) { return 0.0; }
    let row = 4u * u.p.units;
    let at = direction * 2u * row + gate * u.p.units + unit;
    return in3(at) + in3(at + row);
}

fn bounded(x: f32) -> f32 {
    if (LIMITED == 1u) { return min(max(x, -u.p.limit), u.p.limit); }
    return x;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group_number(group, groups);
    if (number >= u.p.directions) { return; }
    direction = number;
    let reversed = ((REVERSED >> direction) & 1u) == 1u;
    let states = u.p.batch * u.p.units;
    for (var i = thread; i < states; i += 256u) {
        let place = direction * u.p.s_direction + i / u.p.units * u.p.s_batch + i % u.p.units;
        hidden[i] = 0.0;
        memory[i] = 0.0;
        if (HIDDEN == 1u) { hidden[i] = in5(place); }
        if (MEMORY == 1u) { memory[i] = in6(place); }
    }
    lows[thread] = 0.0;
    highs[thread] = 0.0;
    let all = u.p.steps * u.p.batch * u.p.size;
    for (var i = thread; i < all; i += 256u) { seen(thread, in0(i)); }
    joined(thread);
    let of_x = steps;
    for (var n = 0u; n < u.p.steps; n++) {
        let step = select(n, u.p.steps - 1u - n, reversed);
        workgroupBarrier();
        lows[thread] = 0.0;
        highs[thread] = 0.0;
        for (var i = thread; i < states; i += 256u) { seen(thread, hidden[i]); }
        joined(thread);
        let of_h = steps;
        for (var i = thread; i < states; i += 256u) {
            let sequence = i / u.p.units;
            let unit = i % u.p.units;
            let x = step * u.p.x_step + sequence * u.p.x_batch;
            var sums = of_input(x, unit, of_x) + of_hidden(sequence, unit, of_h);
            for (var gate = 0u; gate < 4u; gate++) { sums[gate] = bounded(sums[gate] + bias(gate, unit)); }
            let now = sigmoid(sums[2]) * memory[i] + sigmoid(sums[0]) * tanh_of(sums[3]);
            memory[i] = now;
            next[i] = sigmoid(sums[1]) * tanh_of(now);
        }
        workgroupBarrier();
        for (var i = thread; i < states; i += 256u) {
            hidden[i] = next[i];
            let place = step * u.p.y_step + direction * u.p.y_direction + i / u.p.units * u.p.y_batch;
            write(1u, place + i % u.p.units, hidden[i]);
        }
    }
    for (var i = thread; i < states; i += 256u) {
        let place = direction * u.p.s_direction + i / u.p.units * u.p.s_batch + i % u.p.units;
        write(2u, place, hidden[i]);
        write(3u, place, memory[i]);
    }
}
