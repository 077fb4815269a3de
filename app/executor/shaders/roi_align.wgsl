// y = the mean or the largest of samples of x in each bin of a region.

// 1 for the largest.
override LARGEST_OF: u32 = 0u;
// 1 where regions keep the sizes that they have; 0 where none is below one element.
override EXACT: u32 = 0u;
// How many words the number of an image has: of two the lower is read.
override INDEX_WORDS: u32 = 1u;

// Most samples along one side of a bin.
const MOST_SAMPLES = 1024.0;

struct Params {
    count: u32,
    channels: u32,
    // Of x.
    images: u32,
    height: u32,
    width: u32,
    // Bins of a region.
    rows: u32,
    columns: u32,
    // Samples along each side of a bin; 0 for one for each element.
    samples: u32,
    scale: f32,
    offset: f32,
}

// Start and size of a bin along one side, and the number of its samples.
fn bin(low: f32, high: f32, index: u32, bins: u32) -> vec3<f32> {
    let start = low * u.p.scale - u.p.offset;
    var size = high * u.p.scale - u.p.offset - start;
    if (EXACT == 0u) { size = max(size, 1.0); }
    let each = size / f32(bins);
    var samples = f32(u.p.samples);
    if (u.p.samples == 0u) { samples = clamp(ceil(each), 0.0, MOST_SAMPLES); }
    return vec3(start + f32(index) * each, each, samples);
}

// The index below a place, the one above it, and how far it is from the first.
fn around(place: f32, size: u32) -> vec3<f32> {
    let last = f32(size - 1u);
    let low = floor(max(place, 0.0));
    if (low >= last) { return vec3(last, last, 0.0); }
    return vec3(low, low + 1.0, max(place, 0.0) - low);
}

// The four elements around a place, each with its weight; zeros outside of x.
fn sample(first: u32, y: f32, x: f32) -> vec4<f32> {
    let inside = y >= -1.0 && y <= f32(u.p.height) && x >= -1.0 && x <= f32(u.p.width);
    if (!inside) { return vec4(0.0, 0.0, 0.0, 0.0); }
    let v = around(y, u.p.height);
    let h = around(x, u.p.width);
    let above = first + u32(v.x) * u.p.width;
    let below = first + u32(v.y) * u.p.width;
    return vec4(
        (1.0 - v.z) * (1.0 - h.z) * in0(above + u32(h.x)),
        (1.0 - v.z) * h.z * in0(above + u32(h.y)),
        v.z * (1.0 - h.z) * in0(below + u32(h.x)),
        v.z * h.z * in0(below + u32(h.y)),
    );
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let column = i % u.p.columns;
    let row = i / u.p.columns % u.p.rows;
    let plane = i / u.p.columns / u.p.rows;
    let region = plane / u.p.channels;
    let number = bitcast<i32>(load(IN2, u.inputs.z + region * INDEX_WORDS));
    let image = u32(clamp(number, 0, i32(u.p.images) - 1));
    let first = (image * u.p.channels + plane % u.p.channels) * u.p.height * u.p.width;
    let h = bin(in1(region * 4u), in1(region * 4u + 2u), column, u.p.columns);
    let v = bin(in1(region * 4u + 1u), in1(region * 4u + 3u), row, u.p.rows);
    var all = 0.0;
    for (var r = 0u; r < u32(v.z); r++) {
        let y = v.x + (f32(r) + 0.5) * v.y / v.z;
        for (var s = 0u; s < u32(h.z); s++) {
            let x = h.x + (f32(s) + 0.5) * h.y / h.z;
            let four = sample(first, y, x);
            if (LARGEST_OF == 1u) {
                let most = max(max(four.x, four.y), max(four.z, four.w));
                all = select(max(all, most), most, r + s == 0u);
            } else {
                all += four.x + four.y + four.z + four.w;
            }
        }
    }
    if (LARGEST_OF == 0u) { all = all / max(v.z * h.z, 1.0); }
    out0(i, all);
}
