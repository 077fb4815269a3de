// The same as reduce, products left out, with the 64 threads of a workgroup on each row.

fn largest(start: u32, thread: u32) -> f32 {
    var most = bitcast<f32>(u.p.empty);
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        most = max_of(most, in0(start + row_step(i)));
    }
    return of_all(LARGEST, thread, most);
}

fn smallest(start: u32, thread: u32) -> f32 {
    var least = bitcast<f32>(u.p.empty);
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        least = min_of(least, in0(start + row_step(i)));
    }
    return -of_all(LARGEST, thread, -least);
}

fn sum(start: u32, thread: u32, centre: f32) -> f32 {
    var all = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        all += term(in0(start + row_step(i)), centre);
    }
    return of_all(SUM, thread, all);
}

fn plain_sum(start: u32, thread: u32) -> f32 {
    var all = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) { all += in0(start + row_step(i)); }
    return of_all(SUM, thread, all);
}

fn number(start: u32, thread: u32) -> f32 {
    let len = f32(u.p.rows.len);
    switch OP {
        case 1u: { return sum(start, thread, 0.0) / len; }
        case 2u: { return largest(start, thread); }
        case 3u: { return smallest(start, thread); }
        case 6u: { return sqrt(sum(start, thread, 0.0)); }
        case 8u: { return log_of(sum(start, thread, 0.0)); }
        case 9u: {
            let most = largest(start, thread);
            let centre = select(0.0, most, abs(most) < 3.0e38);
            return centre + log_of(sum(start, thread, centre));
        }
        case 10u: {
            let mean = plain_sum(start, thread) / len;
            return 1.0 / sqrt(sum(start, thread, mean) / len + u.p.epsilon);
        }
        default: { return sum(start, thread, 0.0); }
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = group_number(group, groups);
    if (row >= u.p.rows.count) { return; }
    let found = number(row_start(row), thread);
    if (thread == 0u) { out0(row, found); }
}
