// y[row] = the place in the row of x of its largest element, or, where OP is 1, its smallest.

override OP: u32 = 0u;
// 1 where the last of equal elements counts.
override LAST: u32 = 0u;
// Words of an element of y.
override WORDS: u32 = 1u;

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
    var best = in0(start);
    var place = 0u;
    for (var i = 1u; i < u.p.rows.len; i++) {
        let x = in0(start + row_step(i));
        let beats = select(x > best, x < best, OP == 1u);
        if (beats || (LAST == 1u && x == best)) {
            best = x;
            place = i;
        }
    }
    store(OUT0, u.more.z + row * WORDS, place);
    if (WORDS == 2u) { store(OUT0, u.more.z + row * 2u + 1u, 0u); }
}
