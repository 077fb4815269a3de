// y = exp(beta x) / the sum of it over the row, or, where LOG is 1, the logarithm of that.

override LOG: u32 = 0u;

struct Params {
    rows: Rows,
    beta: f32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = thread_index(group, groups, thread);
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    let out = out_start(row);
    let beta = u.p.beta;
    // Relative to the largest, no power overflows and the sum is at least 1.
    var most = beta * in0(start);
    for (var i = 1u; i < u.p.rows.len; i++) { most = max(most, beta * in0(start + row_step(i))); }
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) { sum += exp_of(beta * in0(start + row_step(i)) - most); }
    if (LOG == 1u) {
        let all = log_of(sum);
        for (var i = 0u; i < u.p.rows.len; i++) {
            let at = start + row_step(i);
            out0(out + out_step(i), beta * in0(at) - most - all);
        }
        return;
    }
    for (var i = 0u; i < u.p.rows.len; i++) {
        let at = start + row_step(i);
        out0(out + out_step(i), exp_of(beta * in0(at) - most) / sum);
    }
}
