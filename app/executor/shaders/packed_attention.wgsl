// Attention on queries, keys and values that are x times weights, without room for them: keys meet
// the query through the weights, q (x W)ᵀ = (q Wᵀ) xᵀ, and so do values, p (x W) = (p x) W. A
// workgroup of 64 threads takes each row of scores, 64 keys at a time.

// 1 where in2 is added to the columns of queries, keys and values.
override BIAS: u32 = 0u;

var<workgroup> query: array<f32, 256>;
// The query as it meets x, and the sum of x with the shares so far.
var<workgroup> meeting: array<f32, 1792>;
var<workgroup> mixed: array<f32, 1792>;
var<workgroup> shares: array<f32, 64>;

fn x_at(line: u32, c: u32) -> f32 { return in0((batch * u.p.keys + line) * u.p.width + c); }

fn shift(column: u32) -> f32 {
    if (BIAS == 0u) { return 0.0; }
    return in2(column);
}

fn prepare(thread: u32) {
    let of_query = u.p.q_at + head * u.p.q_head;
    for (var d = thread; d < u.p.size; d += 64u) {
        var sum = shift(of_query + d);
        for (var c = 0u; c < u.p.width; c++) { sum += x_at(row, c) * in1(c * u.p.columns + of_query + d); }
        query[d] = sum;
    }
    workgroupBarrier();
    let of_key = u.p.k_at + head * u.p.k_head;
    for (var c = thread; c < u.p.width; c += 64u) {
        var sum = 0.0;
        for (var d = 0u; d < u.p.size; d++) { sum += query[d] * in1(c * u.p.columns + of_key + d); }
        meeting[c] = sum;
        mixed[c] = 0.0;
    }
    workgroupBarrier();
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
    prepare(thread);
    var constant = 0.0;
    for (var d = 0u; d < u.p.size; d++) { constant += query[d] * shift(u.p.k_at + head * u.p.k_head + d); }
    var most = LEAST;
    var share = 0.0;
    for (var first = 0u; first < u.p.keys; first += 64u) {
        let j = first + thread;
        seen = j < u.p.keys && sees(j);
        if (seen) {
            var product = constant;
            for (var c = 0u; c < u.p.width; c++) { product += meeting[c] * x_at(j, c); }
            finish_score(j, product);
        }
        let next = max(most, of_all(LARGEST, thread, select(LEAST, score, seen)));
        let kept = exp_of(most - next);
        let power = select(0.0, exp_of(score - next), seen);
        most = next;
        share = share * kept + power;
        shares[thread] = power;
        workgroupBarrier();
        for (var c = thread; c < u.p.width; c += 64u) {
            var sum = mixed[c] * kept;
            for (var n = 0u; n < min(64u, u.p.keys - first); n++) { sum += shares[n] * x_at(first + n, c); }
            mixed[c] = sum;
        }
        workgroupBarrier();
    }
    let all = of_all(SUM, thread, share);
    let of_value = u.p.v_at + head * u.p.v_head;
    let y_first = batch * u.p.y_batch + head * u.p.y_head + row * u.p.y_row;
    for (var d = thread; d < u.p.values; d += 64u) {
        var sum = 0.0;
        for (var c = 0u; c < u.p.width; c++) { sum += mixed[c] * in1(c * u.p.columns + of_value + d); }
        out0(y_first + d, select(0.0, sum / all + shift(of_value + d), all > 0.0));
    }
}
