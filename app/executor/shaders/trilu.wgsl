// y = x on one side of a diagonal of every matrix, 0 on the other.

// 1 keeps what lies on the diagonal and above, 0 on it and below.
override UPPER: u32 = 0u;

// The diagonal begins at column `k` of the first row.
struct Params {
    count: u32,
    rows: u32,
    columns: u32,
    k: i32,
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = 4u * thread_index(group, groups, thread);
    if (first >= u.p.count) { return; }
    for (var step = 0u; step < 4u; step++) {
        let i = first + step;
        var value = vec2(0u);
        if (i < u.p.count) {
            let column = i32(i % u.p.columns);
            let row = i32(i / u.p.columns % u.p.rows);
            let from_diagonal = column - row - u.p.k;
            if (select(from_diagonal <= 0, from_diagonal >= 0, UPPER == 1u)) { value = element(i); }
        } else if (WIDTH >= 4u) {
            continue;
        }
        put(step, i, value);
    }
    flush(first);
}
