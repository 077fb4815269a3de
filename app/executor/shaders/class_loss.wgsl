// What is lost where each place of x should be of its target's class: minus the score of that
// class times the class's weight, for each place, or the sum or weighted mean over all of them.

// How many words a target has: of two the lower is read.
override INDEX_WORDS: u32 = 1u;
// 1 where targets that equal `ignored` do not count.
override IGNORE: u32 = 0u;
// 1 where classes have weights.
override WEIGHTS: u32 = 0u;
// 1 where scores are logarithms of probabilities only after a softmax over the classes.
override SOFTMAX: u32 = 0u;
// 0 each place on its own, 1 the mean, 2 the sum.
override REDUCE: u32 = 0u;

struct Params {
    count: u32,
    classes: u32,
    inner: u32,
    ignored: i32,
}

// The logarithm of the sum of all exponentials from `first` on.
fn log_of_sum(first: u32) -> f32 {
    var most = in0(first);
    for (var c = 1u; c < u.p.classes; c++) { most = max(most, in0(first + c * u.p.inner)); }
    var sum = 0.0;
    for (var c = 0u; c < u.p.classes; c++) { sum += exp_of(in0(first + c * u.p.inner) - most); }
    return most + log_of(sum);
}

// The loss at a place, and the weight of its class.
fn lost(i: u32) -> vec2<f32> {
    let wanted = bitcast<i32>(load(IN1, u.inputs.y + i * INDEX_WORDS));
    if (IGNORE == 1u && wanted == u.p.ignored) { return vec2(0.0, 0.0); }
    // Classes that do not exist are held at the nearest that does.
    let class_of = u32(clamp(wanted, 0, i32(u.p.classes) - 1));
    let first = i / u.p.inner * u.p.classes * u.p.inner + i % u.p.inner;
    var score = in0(first + class_of * u.p.inner);
    if (SOFTMAX == 1u) { score -= log_of_sum(first); }
    var weight = 1.0;
    if (WEIGHTS == 1u) { weight = in2(class_of); }
    return vec2(-weight * score, weight);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (REDUCE == 0u) {
        let i = thread_index(group, groups, thread);
        if (i < u.p.count) { out0(i, lost(i).x); }
        return;
    }
    var all = vec2(0.0, 0.0);
    for (var i = thread; i < u.p.count; i += 64u) { all += lost(i); }
    let loss = of_all(SUM, thread, all.x);
    let weight = of_all(SUM, thread, all.y);
    if (thread == 0u) { out0(0u, select(loss, loss / weight, REDUCE == 1u)); }
}
