// The same as softmax, with the 64 threads of a workgroup on each row.

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
    let row = group_number(group, groups);
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    let out = out_start(row);
    let beta = u.p.beta;
    var most = beta * in0(start);
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        most = max(most, beta * in0(start + row_step(i)));
    }
    most = of_all(LARGEST, thread, most);
    var sum = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        sum += exp_of(beta * in0(start + row_step(i)) - most);
    }
    sum = of_all(SUM, thread, sum);
    let all = log_of(sum);
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        let at = start + row_step(i);
        let x = beta * in0(at) - most;
        let y = select(exp_of(x) / sum, x - all, LOG == 1u);
        out0(out + out_step(i), y);
    }
}
