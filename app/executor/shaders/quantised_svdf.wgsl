// y = a filter over quantised features of the last steps, which are elements of 16 bits.

override KIND: u32 = 8u;
override BIAS: u32 = 0u;
// 1 where y is the state with the newest features in place of the oldest.
override CARRY: u32 = 0u;

struct Params {
    count: u32,
    units: u32,
    // Elements of x, features of a unit, and steps that count.
    size: u32,
    rank: u32,
    steps: u32,
    x_zero: i32,
    y_zero: i32,
    // What features and sums are multiplied by.
    feature_mantissa: i32,
    feature_shift: i32,
    sum_mantissa: i32,
    sum_shift: i32,
}

// The feature of x that belongs to a row of the state.
fn newest(row: u32) -> i32 {
    let features = u.p.units * u.p.rank;
    let x = row / features * u.p.size;
    let w = row % features * u.p.size;
    var sum = 0;
    for (var k = 0u; k < u.p.size; k++) {
        sum += (narrow(I8, IN0, u.inputs.x, x + k) - u.p.x_zero) * narrow(I8, IN1, u.inputs.y, w + k);
    }
    return clamp(times(sum, u.p.feature_mantissa, u.p.feature_shift), -32768, 32767);
}

fn state(at: u32) -> i32 { return narrow(I16, IN4, u.more.x, at); }

fn result(i: u32) -> vec2<u32> {
    let unit = i % u.p.units;
    var sum = 0;
    if (BIAS == 1u) { sum = bitcast<i32>(load(IN3, u.inputs.w + unit)); }
    for (var n = 0u; n < u.p.rank; n++) {
        let weights = (unit * u.p.rank + n) * u.p.steps;
        let row = i * u.p.rank + n;
        for (var step = 1u; step < u.p.steps; step++) {
            sum += state(row * u.p.steps + step) * narrow(I16, IN2, u.inputs.z, weights + step - 1u);
        }
        sum += newest(row) * narrow(I16, IN2, u.inputs.z, weights + u.p.steps - 1u);
    }
    let y = times(sum, u.p.sum_mantissa, u.p.sum_shift) + u.p.y_zero;
    return bits_of_int(clamp(y, -128, 127));
}

// Two rows of the state are whole words: one thread writes them, always behind where it reads.
fn carry(pair: u32) {
    let first = 2u * pair * u.p.steps;
    if (first >= u.p.count) { return; }
    var word = 0u;
    let end = min(first + 2u * u.p.steps, u.p.count);
    for (var at = first; at < end; at++) {
        let last = (at + 1u) % u.p.steps == 0u;
        var x = 0;
        if (last) { x = newest(at / u.p.steps); } else { x = state(at + 1u); }
        word = insertBits(word, bitcast<u32>(x), (at & 1u) * 16u, 16u);
        if ((at & 1u) == 1u || at + 1u == end) {
            store(OUT0, u.more.z + at / 2u, word);
            word = 0u;
        }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (CARRY == 1u) { carry(i); } else { put(KIND, i, u.p.count); }
}
