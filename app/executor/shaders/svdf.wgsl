// y = a filter over features of the last steps: each feature is a product of x, each filter one of its own features of all steps.

override BIAS: u32 = 0u;
// 1 where y is the state with the newest features in place of the oldest, 2 where the newest are
// written later.
override CARRY: u32 = 0u;
// 1 where the state already ends with the newest features.
override HELD: u32 = 0u;

struct Params {
    count: u32,
    units: u32,
    // Elements of x, features of a unit, and steps that count.
    size: u32,
    rank: u32,
    steps: u32,
    alpha: f32,
    beta: f32,
    // 0.
    none: u32,
}

// A float that no compiler joins with the next operation: it cannot know that `none` is 0.
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ u.p.none); }

// A product of an element of the state and its filter.
fn product(state: u32, filter_: u32) -> f32 { return rounded(in4(state) * in2(filter_)); }

fn newest(sequence: u32, feature: u32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < u.p.size; k++) {
        sum += in0(sequence * u.p.size + k) * in1(feature * u.p.size + k);
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let features = u.p.units * u.p.rank;
    if (CARRY != 0u) {
        let last = (i + 1u) * u.p.steps - 1u;
        for (var at = i * u.p.steps; at < last; at++) { out0(at, in4(at + 1u)); }
        if (CARRY == 1u) { out0(last, newest(i / features, i % features)); }
        return;
    }
    let unit = i % u.p.units;
    let sequence = i / u.p.units;
    var all = 0.0;
    for (var feature = unit * u.p.rank; feature < (unit + 1u) * u.p.rank; feature++) {
        let state = (sequence * features + feature) * u.p.steps;
        let filter_ = feature * u.p.steps;
        var sum = 0.0;
        if (HELD == 1u) {
            for (var step = 0u; step < u.p.steps; step++) { sum += product(state + step, filter_ + step); }
        } else {
            // The oldest step leaves the state.
            for (var step = 1u; step < u.p.steps; step++) { sum += product(state + step, filter_ + step - 1u); }
            sum += newest(sequence, feature) * in2(filter_ + u.p.steps - 1u);
        }
        all += sum;
    }
    if (BIAS == 1u) { all += in3(unit); }
    out0(i, activated(all, u.p.alpha, u.p.beta));
}
