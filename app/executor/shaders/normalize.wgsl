// y = (x - centre) / spread, times scale, plus bias, where centre and spread are those of the row.

fn centre_of(start: u32) -> f32 {
    if (!is_centred()) { return 0.0; }
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) { sum += in0(start + row_step(i)); }
    return sum / f32(u.p.rows.len);
}

fn spread_of(start: u32, centre: f32) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < u.p.rows.len; i++) {
        sum += deviation(in0(start + row_step(i)) - centre);
    }
    return spread_from(sum);
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
    let centre = centre_of(start);
    let spread = spread_of(start, centre);
    let both = vec2<u32>(start, out_start(row));
    let first = first_scale(row);
    for (var i = 0u; i < u.p.rows.len; i++) { finish(both, first, i, centre, spread); }
}
