// A row shared by the 64 threads of a workgroup: what each has found becomes one number, always
// in the same order. Every thread must ask, and every thread gets it.

const SUM = 0u;
const LARGEST = 1u;

var<workgroup> found: array<f32, 64>;

fn merged(how: u32, a: f32, b: f32) -> f32 {
    if (how == SUM) { return a + b; }
    return max(a, b);
}

fn of_all(how: u32, thread: u32, value: f32) -> f32 {
    found[thread] = value;
    workgroupBarrier();
    for (var width = 32u; width > 0u; width = width / 2u) {
        if (thread < width) { found[thread] = merged(how, found[thread], found[thread + width]); }
        workgroupBarrier();
    }
    let all = found[0];
    // Nobody may write again before all have read.
    workgroupBarrier();
    return all;
}
