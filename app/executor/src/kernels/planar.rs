//! Images with their channels before their pixels, as the CPU references of windows want them.

/// Elements by image, channel and pixel, whichever way they lie.
pub(super) fn planes(
    x: &[f32],
    [images, channels, pixels]: [usize; 3],
    strides: [u32; 3],
) -> Vec<f32> {
    let strides = strides.map(|stride| stride as usize);
    let mut planes = Vec::with_capacity(images * channels * pixels);
    for image in 0..images {
        for channel in 0..channels {
            let start = image * strides[0] + channel * strides[1];
            planes.extend((0..pixels).map(|pixel| x[start + pixel * strides[2]]));
        }
    }
    planes
}

/// The same elements with the channels last.
pub(super) fn last(planes: &[f32], channels: usize, pixels: usize) -> Vec<f32> {
    let mut result = vec![0.0; planes.len()];
    let image = (channels * pixels).max(1);
    for (from, to) in planes.chunks(image).zip(result.chunks_mut(image)) {
        for (channel, plane) in from.chunks(pixels.max(1)).enumerate() {
            for (pixel, &value) in plane.iter().enumerate() {
                to[pixel * channels + channel] = value;
            }
        }
    }
    result
}

/// The positions `i` below `count` for which `i * stride + offset` is in `0..size`.
pub(super) fn inside(
    count: usize,
    size: usize,
    stride: u32,
    offset: i64,
) -> std::ops::Range<usize> {
    let stride = i64::from(stride.max(1));
    let wide = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    // Rounded up: the first position at or after 0, and the first at or after the end.
    let first = |bound: i64| (bound + stride - 1).div_euclid(stride).max(0);
    let narrow = |n: i64| usize::try_from(n).unwrap_or_default().min(count);
    let start = narrow(first(-offset));
    start..narrow(first(wide(size) - offset)).max(start)
}
