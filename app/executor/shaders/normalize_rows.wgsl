// The same as normalize, with the 64 threads of a workgroup on each row.

fn centre_of(start: u32, thread: u32) -> f32 {
    if (!is_centred()) { return 0.0; }
    var sum = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) { sum += in0(start + row_step(i)); }
    return of_all(SUM, thread, sum) / f32(u.p.rows.len);
}

fn spread_of(start: u32, thread: u32, centre: f32) -> f32 {
    var part = 0.0;
    for (var i = thread; i < u.p.rows.len; i += 64u) {
        part += deviation(in0(start + row_step(i)) - centre);
    }
    return spread_from(of_all(SUM, thread, part));
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
    let centre = centre_of(start, thread);
    let spread = spread_of(start, thread, centre);
    let both = vec2<u32>(start, out_start(row));
    let first = first_scale(row);
    for (var i = thread; i < u.p.rows.len; i += 64u) { finish(both, first, i, centre, spread); }
}
