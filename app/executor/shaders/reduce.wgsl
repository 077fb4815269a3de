// y[row] = one number for the elements of each row of x, where the override OP chooses which.

fn largest(start: u32) -> f32 {
    var most = bitcast<f32>(u.p.empty);
    for (var i = 0u; i < u.p.rows.len; i++) { most = max_of(most, in0(start + row_step(i))); }
    return most;
}

fn smallest(start: u32) -> f32 {
    var least = bitcast<f32>(u.p.empty);
    for (var i = 0u; i < u.p.rows.len; i++) { least = min_of(least, in0(start + row_step(i))); }
    return least;
}

fn product(start: u32) -> f32 {
    var all = 1.0;
    for (var i = 0u; i < u.p.rows.len; i++) { all *= in0(start + row_step(i)); }
    return all;
}

fn sum(start: u32, centre: f32) -> f32 {
    var all = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) { all += term(in0(start + row_step(i)), centre); }
    return all;
}

fn plain_sum(start: u32) -> f32 {
    var all = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) { all += in0(start + row_step(i)); }
    return all;
}

fn number(start: u32) -> f32 {
    let len = f32(u.p.rows.len);
    switch OP {
        case 1u: { return sum(start, 0.0) / len; }
        case 2u: { return largest(start); }
        case 3u: { return smallest(start); }
        case 4u: { return product(start); }
        case 6u: { return sqrt(sum(start, 0.0)); }
        case 8u: { return log_of(sum(start, 0.0)); }
        case 9u: {
            let most = largest(start);
            // Infinities are no centre: they would make a NaN of themselves.
            let centre = select(0.0, most, abs(most) < 3.0e38);
            return centre + log_of(sum(start, centre));
        }
        case 10u: {
            let mean = plain_sum(start) / len;
            return 1.0 / sqrt(sum(start, mean) / len + u.p.epsilon);
        }
        default: { return sum(start, 0.0); }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = thread_index(group, groups, thread);
    if (row < u.p.rows.count) { out0(row, number(row_start(row))); }
}
