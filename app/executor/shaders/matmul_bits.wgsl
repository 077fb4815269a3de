// y = a bᵀ + bias for weights of few bits, a row of them for each column of y, in blocks with a
// scale and a zero point: a workgroup for each column and four rows of y.

// Bits of a weight.
override BITS: u32 = 4u;
// Zero points: 0 the middle of the range, else 1 + their type; integers are as narrow as weights.
override ZEROS: u32 = 0u;
override BIAS: u32 = 0u;

struct Params {
    m: u32,
    n: u32,
    k: u32,
    // Weights of a block, blocks of a row of weights, and places for zero points of a row.
    block: u32,
    blocks: u32,
    places: u32,
}

fn zero_of(n: u32, block: u32) -> f32 {
    if (ZEROS == 0u) { return f32(1u << (BITS - 1u)); }
    return real(ZEROS - 1u, raw(ZEROS - 1u, IN3, u.inputs.w, n * u.p.places + block));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group_number(group, groups);
    if (number >= u.p.n * ((u.p.m + 3u) / 4u)) { return; }
    let n = number % u.p.n;
    let m = number / u.p.n * 4u;
    let lanes = 32u / BITS;
    let words = u.p.blocks * u.p.block / lanes;
    var sums = vec4<f32>();
    for (var w = thread; w < words; w += 64u) {
        let word = load(IN1, u.inputs.y + n * words + w);
        let block = w * lanes / u.p.block;
        let scale = in2(n * u.p.blocks + block);
        let zero = zero_of(n, block);
        for (var lane = 0u; lane < min(lanes, u.p.k - min(u.p.k, w * lanes)); lane++) {
            let weight = (f32(extractBits(word, lane * BITS, BITS)) - zero) * scale;
            for (var row = 0u; row < min(4u, u.p.m - m); row++) {
                sums[row] += in0((m + row) * u.p.k + w * lanes + lane) * weight;
            }
        }
    }
    for (var row = 0u; row < min(4u, u.p.m - m); row++) {
        var sum = of_all(SUM, thread, sums[row]);
        if (BIAS == 1u) { sum += in4(n); }
        if (thread == 0u) { out0((m + row) * u.p.n + n, sum); }
    }
}
