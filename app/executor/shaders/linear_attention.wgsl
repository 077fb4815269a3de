// Attention by a state of keys times values that each row changes: a thread for each column of the
// state of a batch and head.

override PAST: u32 = 0u;

struct Params {
    batches: u32,
    rows: u32,
    // Heads of queries, and of keys and values.
    heads: u32,
    kv_heads: u32,
    // Elements of a head of keys, at most 256, and of values.
    size: u32,
    values: u32,
    // Columns of the decays and of the rates: 0 where there are none.
    decays: u32,
    rates: u32,
    scale: f32,
}

var<private> state: array<f32, 256>;

// What row `line` takes from the state, and what it adds.
fn step(line: u32, head: u32, column: u32) {
    let key = (line * u.p.kv_heads + head) * u.p.size;
    let each = u.p.decays > u.p.kv_heads;
    for (var d = 0u; d < u.p.size && u.p.decays > 0u; d++) {
        let at = line * u.p.decays + select(head, head * u.p.size + d, each);
        state[d] *= exp_of(in4(at));
    }
    var value = in2((line * u.p.kv_heads + head) * u.p.values + column);
    if (u.p.rates > 0u) {
        var held = 0.0;
        for (var d = 0u; d < u.p.size; d++) { held += state[d] * in1(key + d); }
        value = in5(line * u.p.rates + select(0u, head, u.p.rates > 1u)) * (value - held);
    }
    for (var d = 0u; d < u.p.size; d++) { state[d] += in1(key + d) * value; }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_index(group, groups, thread);
    if (number >= u.p.batches * u.p.kv_heads * u.p.values) { return; }
    let column = number % u.p.values;
    let head = number / u.p.values % u.p.kv_heads;
    let batch = number / u.p.values / u.p.kv_heads;
    let first = (batch * u.p.kv_heads + head) * u.p.size * u.p.values + column;
    for (var d = 0u; d < u.p.size; d++) {
        state[d] = 0.0;
        if (PAST == 1u) { state[d] = in3(first + d * u.p.values); }
    }
    let shared_by = u.p.heads / u.p.kv_heads;
    for (var row = 0u; row < u.p.rows; row++) {
        let line = batch * u.p.rows + row;
        step(line, head, column);
        for (var n = 0u; n < shared_by; n++) {
            let of_query = line * u.p.heads + head * shared_by + n;
            var sum = 0.0;
            for (var d = 0u; d < u.p.size; d++) { sum += state[d] * in0(of_query * u.p.size + d); }
            out0(of_query * u.p.values + column, u.p.scale * sum);
        }
    }
    for (var d = 0u; d < u.p.size; d++) { out1(first + d * u.p.values, state[d]); }
}
