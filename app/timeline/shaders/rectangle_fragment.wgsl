// Computes one pixel of a rectangle: its fill, or its ink on the edge and in the pattern.

struct Pixel {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) cell: vec4<i32>,   // left, top, right, bottom
    @location(1) @interpolate(flat) paint: vec4<u32>,  // fill, ink, pattern
    @location(2) @interpolate(flat) line: i32,         // 0: neither edge nor pattern
}

@fragment
fn rectangle(in: Pixel) -> @location(0) vec4<f32> {
    let fill = unpack4x8unorm(in.paint.x);
    if in.line == 0 {
        return fill;
    }
    let at = vec2<i32>(floor(in.position.xy));
    let inside = at - in.cell.xy;
    let beyond = in.cell.zw - 1 - at;
    let nearest = min(min(inside.x, inside.y), min(beyond.x, beyond.y));
    let place = vec2<u32>(inside / in.line) & vec2(7u);
    let rows = select(in.paint.z, in.paint.w, place.y >= 4u);
    let bit = (rows >> ((place.y & 3u) * 8u + place.x)) & 1u;
    return select(fill, unpack4x8unorm(in.paint.y), nearest < in.line || bit == 1u);
}
