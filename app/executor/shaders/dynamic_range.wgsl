// The scale and the zero point with which the elements of x, and 0, become unsigned integers of 8 bits.

struct Params {
    count: u32,
}

var<workgroup> lows: array<f32, 64>;
var<workgroup> highs: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32) {
    var low = 0.0;
    var high = 0.0;
    for (var i = thread; i < u.p.count; i += 64u) {
        low = min(low, in0(i));
        high = max(high, in0(i));
    }
    lows[thread] = low;
    highs[thread] = high;
    workgroupBarrier();
    if (thread != 0u) { return; }
    for (var other = 1u; other < 64u; other++) {
        low = min(low, lows[other]);
        high = max(high, highs[other]);
    }
    let range = select(high - low, 1.0, high == low);
    let scale = nearest_quotient(range, 255.0);
    out0(0u, scale);
    store(OUT1, u.more.w, u32(clamp(round(nearest_quotient(-low, scale)), 0.0, 255.0)));
}
