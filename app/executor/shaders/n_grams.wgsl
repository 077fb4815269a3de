// y[row, c] = how often the n-grams of column c are in a row of x, whatever lies between their
// items, if all of these distances are alike.

override KIND: u32 = 4u;
override TO: u32 = 0u;
// 0 the number itself, 1 its weight where there is one at all, 2 both multiplied.
override MODE: u32 = 0u;

struct Params {
    count: u32,
    // Items of a row of x, and columns of y.
    len: u32,
    columns: u32,
    // Largest distance of neighbouring items.
    reach: u32,
}

// Of the table: where the n-grams of each column begin and, last, where all end; then for each
// the number of its items and where the first is; then the items, two words each.
fn word(at: u32) -> u32 { return load(IN1, u.inputs.y + at); }

fn is_at(start: u32, step: u32, items: u32, first: u32) -> bool {
    for (var k = 0u; k < items; k++) {
        let x = whole(KIND, raw(KIND, IN0, u.inputs.x, start + k * step));
        if (x.x != word(first + 2u * k) || x.y != word(first + 2u * k + 1u)) { return false; }
    }
    return true;
}

fn result(i: u32) -> vec2<u32> {
    let column = i % u.p.columns;
    let row = i / u.p.columns * u.p.len;
    var found = 0u;
    for (var gram = word(column); gram < word(column + 1u); gram++) {
        let items = word(u.p.columns + 1u + 2u * gram);
        let first = word(u.p.columns + 2u + 2u * gram);
        // Of one item the distance says nothing.
        let reach = select(u.p.reach, 1u, items == 1u);
        for (var step = 1u; step <= reach; step++) {
            let extent = (items - 1u) * step;
            if (extent >= u.p.len) { break; }
            for (var start = 0u; start < u.p.len - extent; start++) {
                if (is_at(row + start, step, items, first)) { found++; }
            }
        }
    }
    var y = f32(found);
    if (MODE == 1u) { y = select(0.0, in2(column), found > 0u); }
    if (MODE == 2u) { y = y * in2(column); }
    return bits_of_real(TO, y);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.count);
}
