// A row shared by the 64 threads of a workgroup: what each has found becomes one number, always
// in the same order. Every thread must ask, and every thread gets it.

const SUM = 0u;
const LARGEST = 1u;

var<workgroup> found: array<f32, 64>;
var<workgroup> eighths: array<f32, 8>;

fn merged(how: u32, a: f32, b: f32) -> f32 {
    if (how == SUM) { return a + b; }
    return max_of(a, b);
}

// Two steps of eight rather than six of two: to wait for the others costs more than to add.
fn of_all(how: u32, thread: u32, value: f32) -> f32 {
    found[thread] = value;
    workgroupBarrier();
    if (thread < 8u) {
        var part = found[thread * 8u];
        for (var i = 1u; i < 8u; i++) { part = merged(how, part, found[thread * 8u + i]); }
        eighths[thread] = part;
    }
    workgroupBarrier();
    var all = eighths[0];
    for (var i = 1u; i < 8u; i++) { all = merged(how, all, eighths[i]); }
    return all;
}
