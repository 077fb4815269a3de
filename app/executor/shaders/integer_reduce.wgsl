// y[row] = the largest or the smallest integer of a row of x, or its place.

// 0 the largest, 1 the smallest.
override OP: u32 = 0u;
// 1 for the place of the first such element, 2 for that of the last.
override PLACE: u32 = 0u;
override KIND: u32 = 4u;
override TO: u32 = 4u;

struct Params {
    rows: Rows,
    // What an empty row gives.
    empty: vec2<u32>,
}

fn result(row: u32) -> vec2<u32> {
    if (u.p.rows.len == 0u) { return u.p.empty; }
    let signed = KIND != U64;
    let start = row_start(row);
    var best = whole(KIND, raw(KIND, IN0, u.inputs.x, start));
    var place = 0u;
    for (var i = 1u; i < u.p.rows.len; i++) {
        let x = whole(KIND, raw(KIND, IN0, u.inputs.x, start + row_step(i)));
        let beats = select(less64(signed, best, x), less64(signed, x, best), OP == 1u);
        if (beats || (PLACE == 2u && all(x == best))) {
            best = x;
            place = i;
        }
    }
    return select(vec2(place, 0u), best, PLACE == 0u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.rows.count);
}
