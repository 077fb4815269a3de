// y = x between its elements along rows and columns: quantised elements and weights of 10 binary
// places, or floats, as LiteRT's reference kernels have them.

override KIND: u32 = 8u;
// 1 where weights are floats.
override REAL: u32 = 0u;

struct Params {
    count: u32,
    height: u32,
    width: u32,
    channels: u32,
    rows: u32,
    columns: u32,
    none: u32,
}

// Of row n of the table: the element before, the one after and the weight of that.
fn entry(n: u32) -> vec3<i32> {
    let at = u.inputs.y + 3u * n;
    return bitcast<vec3<i32>>(vec3(load(IN1, at), load(IN1, at + 1u), load(IN1, at + 2u)));
}

fn element(row: u32, column: i32, c: u32) -> i32 {
    return narrow(KIND, IN0, u.inputs.x, (row * u.p.width + u32(column)) * u.p.channels + c);
}

// A float that no compiler joins with the next operation: it cannot know that `none` is 0.
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ u.p.none); }

fn product(x: i32, down: f32, right: f32) -> f32 { return rounded(rounded(f32(x) * down) * right); }

fn result(i: u32) -> vec2<u32> {
    let c = i % u.p.channels;
    let pixel = i / u.p.channels;
    let image = pixel / u.p.columns / u.p.rows;
    let v = entry(pixel / u.p.columns % u.p.rows);
    let h = entry(u.p.rows + pixel % u.p.columns);
    let above = image * u.p.height + u32(v.x);
    let below = image * u.p.height + u32(v.y);
    if (REAL == 1u) {
        let down = bitcast<f32>(v.z);
        let right = bitcast<f32>(h.z);
        let up = rounded(1.0 - down);
        let left = rounded(1.0 - right);
        var y = product(element(above, h.x, c), up, left);
        y = rounded(y + product(element(below, h.x, c), down, left));
        y = rounded(y + product(element(above, h.y, c), up, right));
        y = rounded(y + product(element(below, h.y, c), down, right));
        return bits_of_int(i32(y + 0.5));
    }
    let top = element(above, h.x, c) * (1024 - h.z) + element(above, h.y, c) * h.z;
    let bottom = element(below, h.x, c) * (1024 - h.z) + element(below, h.y, c) * h.z;
    if (KIND == I16) {
        // More than 32 bits; divided by 2^20 towards zero.
        let above_all = mul64(extended(top), extended(1024 - v.z));
        let sum = add64(above_all, mul64(extended(bottom), extended(v.z)));
        let size = add64(size64(true, sum), vec2<u32>(524288u, 0u));
        let y = bitcast<i32>((size.x >> 20u) | (size.y << 12u));
        return bits_of_int(select(y, -y, negative64(true, sum)));
    }
    let sum = top * (1024 - v.z) + bottom * v.z;
    return bits_of_int((sum + select(-524288, 524288, sum > 0)) / 1048576);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
