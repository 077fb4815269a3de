// y = softmax(scale q kᵀ) v for every head and query: a workgroup of 64 threads takes each row of
// scores, 64 keys at a time, and keeps the largest score and the sum of powers so far.

// 1 where queries have rotary embeddings, with cosines in in3 and sines in in5; 2 where
// neighbours make the pairs.
override TURN: u32 = 0u;
// 1 where in4 is added to queries, keys and values: one number for each column, in this order.
override BIAS: u32 = 0u;
// What out1 gets: 0 nothing, 1 scores, 2 capped ones, 3 masked ones, 4 shares.
override SCORES: u32 = 0u;

const HELD: u32 = 256u;
const HELD_BY_THREAD: u32 = 4u;

var<workgroup> query: array<f32, 256>;
var<workgroup> shares: array<f32, 64>;

fn shift(column: u32) -> f32 {
    if (BIAS == 0u) { return 0.0; }
    return in4(column);
}

fn of_query(d: u32) -> f32 {
    let first = u.p.q_at + batch * u.p.q_batch + head * u.p.q_head + row * u.p.q_row;
    let x = in0(first + d) + shift(head * u.p.size + d);
    if (TURN == 0u || d >= 2u * u.p.pairs) { return x; }
    var pair = d % u.p.pairs;
    var partner = first + (d + u.p.pairs) % (2u * u.p.pairs);
    var minus = d < u.p.pairs;
    if (TURN == 2u) {
        pair = d / 2u;
        partner = first + (d ^ 1u);
        minus = d % 2u == 0u;
    }
    let place = u32(clamp(position, 0, i32(u.p.positions) - 1)) * u.p.pairs + pair;
    let sine = in5(place);
    return x * in3(place) + in0(partner) * select(sine, -sine, minus);
}

fn query_at(d: u32) -> f32 {
    if (d < HELD) { return query[d]; }
    return of_query(d);
}

fn find_score(j: u32) {
    seen = sees(j);
    if (!seen && SCORES == 0u) { return; }
    let head_of_keys = head / (u.p.heads / u.p.kv_heads);
    let first = u.p.k_at + batch * u.p.k_batch + head_of_keys * u.p.k_head + j * u.p.k_row;
    let column = (u.p.heads + head_of_keys) * u.p.size;
    var product = 0.0;
    for (var d = 0u; d < u.p.size; d++) { product += query_at(d) * (in1(first + d) + shift(column + d)); }
    finish_score(j, product);
}

fn put_score(j: u32, share: f32) {
    var shown = plain;
    if (SCORES == 2u) { shown = capped; }
    if (SCORES == 3u) { shown = select(u.p.nothing, score, seen); }
    if (SCORES == 4u) { shown = share; }
    out1(((batch * u.p.heads + head) * u.p.queries + row) * u.p.keys + j, shown);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group_number(group, groups);
    if (number >= u.p.batches * u.p.heads * u.p.queries) { return; }
    stand(number);
    for (var d = thread; d < min(u.p.size, HELD); d += 64u) { query[d] = of_query(d); }
    workgroupBarrier();
    let y_first = batch * u.p.y_batch + head * u.p.y_head + row * u.p.y_row;
    let head_of_keys = head / (u.p.heads / u.p.kv_heads);
    let v_first = u.p.v_at + batch * u.p.v_batch + head_of_keys * u.p.v_head;
    let column = (u.p.heads + u.p.kv_heads) * u.p.size + head_of_keys * u.p.values;
    for (var tile = 0u; tile < u.p.values; tile += HELD) {
        var sums = vec4<f32>();
        var most = LEAST;
        var share = 0.0;
        for (var first = 0u; first < u.p.keys; first += 64u) {
            let j = first + thread;
            seen = false;
            if (j < u.p.keys) {
                find_score(j);
                if (SCORES != 0u && SCORES != 4u && tile == 0u) { put_score(j, 0.0); }
            }
            let next = max(most, of_all(LARGEST, thread, select(LEAST, score, seen)));
            let kept = exp_of(most - next);
            let power = select(0.0, exp_of(score - next), seen);
            most = next;
            share = share * kept + power;
            shares[thread] = power;
            workgroupBarrier();
            sums *= kept;
            for (var n = 0u; n < min(64u, u.p.keys - first); n++) {
                let weight = shares[n];
                if (weight == 0.0) { continue; }
                let from_key = v_first + (first + n) * u.p.v_row;
                for (var part = 0u; part < HELD_BY_THREAD; part++) {
                    let d = tile + part * 64u + thread;
                    if (d < u.p.values) { sums[part] += weight * in2(from_key + d); }
                }
            }
            workgroupBarrier();
        }
        let all = of_all(SUM, thread, share);
        for (var part = 0u; part < HELD_BY_THREAD; part++) {
            let d = tile + part * 64u + thread;
            if (d >= u.p.values) { continue; }
            out0(y_first + d, select(0.0, sums[part] / all + shift(column + d), all > 0.0));
        }
        if (SCORES == 4u && tile == 0u) {
            for (var j = thread; j < u.p.keys; j += 64u) {
                find_score(j);
                let power = select(0.0, exp_of(score - most), seen);
                put_score(j, select(0.0, power / all, all > 0.0));
            }
        }
    }
}
