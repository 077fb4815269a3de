// y = 1 at the first largest element of each row of x, 0 elsewhere.

struct Params {
    rows: Rows,
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
    var most = in0(start);
    var place = 0u;
    for (var i = 1u; i < u.p.rows.len; i++) {
        let x = in0(start + row_step(i));
        if (x > most) {
            most = x;
            place = i;
        }
    }
    for (var i = 0u; i < u.p.rows.len; i++) {
        out0(start + row_step(i), select(0.0, 1.0, i == place));
    }
}
