//! Operators that move elements, of every width, against the definition of each: which
//! element of the input stands at an index of the output.

use planner::graph::{DType, Dialect};
use tests::one_op::OneOp;
use tests::random::Random;

const ONNX: Dialect = Dialect::Onnx { opset: 18 };
/// Elements of 1, 2, 4 and 8 bytes.
const TYPES: [(DType, usize); 4] = [
    (DType::U8, 1),
    (DType::F16, 2),
    (DType::F32, 4),
    (DType::I64, 8),
];

/// A tensor of raw elements.
#[derive(Clone)]
struct Raw {
    dtype: DType,
    width: usize,
    dims: Vec<usize>,
    bytes: Vec<u8>,
}

impl Raw {
    /// Arbitrary elements.
    fn random(random: &mut Random, (dtype, width): (DType, usize), dims: &[usize]) -> Self {
        let len = dims.iter().product::<usize>() * width;
        let byte = |_| u8::try_from(random.bits() >> 56).unwrap();
        Self {
            dtype,
            width,
            dims: dims.to_vec(),
            bytes: (0..len).map(byte).collect(),
        }
    }

    /// The tensor whose element at every index is `pick` of it, by the rules of `[dims]`.
    fn made(&self, dims: &[usize], pick: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Self {
        let mut bytes = Vec::new();
        for at in indices(dims) {
            match pick(&at) {
                Some(from) => bytes.extend(self.at(&from)),
                None => bytes.extend(vec![0; self.width]),
            }
        }
        let dims = dims.to_vec();
        Self {
            bytes,
            dims,
            ..self.clone()
        }
    }

    fn at(&self, index: &[usize]) -> &[u8] {
        let mut flat = 0;
        for (&size, &at) in self.dims.iter().zip(index) {
            assert!(at < size, "{index:?} in {:?}", self.dims);
            flat = flat * size + at;
        }
        &self.bytes[flat * self.width..][..self.width]
    }

    fn feed(&self, op: OneOp) -> OneOp {
        op.fed(self.dtype, &self.dims, words(&self.bytes))
    }
}

/// Every index of a tensor, the last dimension fastest.
fn indices(dims: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in dims {
        let longer = |at: &Vec<usize>| {
            let at = at.clone();
            (0..size).map(move |i| [at.as_slice(), &[i]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut raw = [0; 4];
        raw[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(raw)
    };
    bytes.chunks(4).map(word).collect()
}

/// Runs the operator on both machines: every output must be as expected, bit by bit.
fn check(op: OneOp, expected: &[Raw]) {
    let op = expected
        .iter()
        .fold(op, |op, y| op.output(y.dtype, &y.dims));
    let (on_cpu, on_gpu) = op.run();
    for (machine, outputs) in [("CPU", Some(on_cpu)), ("GPU", on_gpu)] {
        for (found, expected) in outputs.iter().flatten().zip(expected) {
            let found: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
            let found = &found[..expected.bytes.len()];
            assert!(found == expected.bytes, "{machine}: {op:?}");
        }
    }
}

fn shape(random: &mut Random, rank: usize) -> Vec<usize> {
    (0..rank).map(|_| 1 + random.index(5)).collect()
}

#[test]
fn transposes_of_every_rank() {
    let mut random = Random::new(1);
    for rank in 1..=6 {
        for dtype in TYPES {
            let dims = shape(&mut random, rank);
            let x = Raw::random(&mut random, dtype, &dims);
            let mut perm: Vec<usize> = (0..rank).collect();
            for i in (1..rank).rev() {
                perm.swap(i, random.index(i + 1));
            }
            let to: Vec<usize> = perm.iter().map(|&axis| dims[axis]).collect();
            let y = x.made(&to, |at| {
                let mut from = vec![0; rank];
                for (&axis, &at) in perm.iter().zip(at) {
                    from[axis] = at;
                }
                Some(from)
            });
            let perm: Vec<i64> = perm.iter().map(|&axis| axis as i64).collect();
            check(
                x.feed(OneOp::new(ONNX, "Transpose")).ints("perm", &perm),
                &[y],
            );
        }
    }
}

/// Ten dimensions that no two can be merged of: more than one dispatch walks.
#[test]
fn a_transpose_of_ten_dimensions() {
    let mut random = Random::new(2);
    let x = Raw::random(&mut random, TYPES[2], &[2; 10]);
    let y = x.made(&[2; 10], |at| Some(at.iter().rev().copied().collect()));
    check(x.feed(OneOp::new(ONNX, "Transpose")), &[y]);
}

#[test]
fn slices_forwards_and_backwards() {
    let mut random = Random::new(3);
    for round in 0..4 {
        for dtype in TYPES {
            let dims = shape(&mut random, 1 + round % 4);
            let x = Raw::random(&mut random, dtype, &dims);
            let (mut picks, mut given) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
            for &size in &dims {
                let step = 1 + random.index(2);
                let first = random.index(size);
                let back = random.index(2) == 0;
                let pick: Vec<usize> = if back {
                    (0..=first).rev().step_by(step).collect()
                } else {
                    (first..size).step_by(step).collect()
                };
                // Far beyond either end is as good as the end.
                let (end, sign) = if back { (-1000, -1) } else { (1000, 1) };
                given[0].push(i32::try_from(first).unwrap());
                given[1].push(end);
                given[2].push(sign * i32::try_from(step).unwrap());
                picks.push(pick);
            }
            let axes: Vec<i32> = (0..).take(dims.len()).collect();
            let to: Vec<usize> = picks.iter().map(Vec::len).collect();
            let y = x.made(&to, |at| {
                Some(at.iter().zip(&picks).map(|(&i, pick)| pick[i]).collect())
            });
            let op = x.feed(OneOp::new(ONNX, "Slice"));
            let op = op.integers(&given[0]).integers(&given[1]);
            check(op.integers(&axes).integers(&given[2]), &[y]);
        }
    }
}

#[test]
fn joined_and_split_along_every_axis() {
    let mut random = Random::new(4);
    for axis in 0..3 {
        for dtype in TYPES {
            let mut dims = shape(&mut random, 3);
            let sizes = [1 + random.index(6), 0, 3, 1];
            let pieces = sizes.map(|size| {
                dims[axis] = size;
                Raw::random(&mut random, dtype, &dims)
            });
            dims[axis] = sizes.iter().sum();
            let mut bytes = Vec::new();
            for at in indices(&dims) {
                let (mut piece, mut at) = (0, at);
                while at[axis] >= sizes[piece] {
                    at[axis] -= sizes[piece];
                    piece += 1;
                }
                bytes.extend(pieces[piece].at(&at));
            }
            let whole = Raw {
                bytes,
                dims,
                ..pieces[0].clone()
            };
            let concat = OneOp::new(ONNX, "Concat").int("axis", axis as i64);
            let concat = pieces.iter().fold(concat, |op, piece| piece.feed(op));
            check(concat, std::slice::from_ref(&whole));
            let split = whole.feed(OneOp::new(ONNX, "Split").int("axis", axis as i64));
            let sizes = sizes.map(|size| i32::try_from(size).unwrap());
            check(split.integers(&sizes), &pieces);
        }
    }
}

#[test]
fn tiled_and_expanded() {
    let mut random = Random::new(5);
    for rank in [2, 4] {
        for dtype in TYPES {
            let dims = shape(&mut random, rank);
            let x = Raw::random(&mut random, dtype, &dims);
            let times: Vec<usize> = (0..rank).map(|_| 1 + random.index(3)).collect();
            let to: Vec<usize> = dims.iter().zip(&times).map(|(a, b)| a * b).collect();
            let wrapped = |at: &[usize]| Some(at.iter().zip(&dims).map(|(a, b)| a % b).collect());
            let y = x.made(&to, wrapped);
            let repeats: Vec<i32> = times.iter().map(|&x| i32::try_from(x).unwrap()).collect();
            check(x.feed(OneOp::new(ONNX, "Tile")).integers(&repeats), &[y]);

            // Dimensions of 1 stretch, and two come in front.
            let stretched = |i: usize| if dims[i] == 1 { 3 } else { dims[i] };
            let mut to = vec![2, 1];
            to.extend((0..rank).map(stretched));
            let y = x.made(&to, |at| {
                Some(at[2..].iter().zip(&dims).map(|(a, b)| a % b).collect())
            });
            let shape: Vec<i32> = to.iter().map(|&x| i32::try_from(x).unwrap()).collect();
            check(x.feed(OneOp::new(ONNX, "Expand")).integers(&shape), &[y]);
        }
    }
}

/// Where an index lies that begins `before` elements in front of `size`, by NumPy's modes.
fn padded(mode: &str, i: usize, before: i64, size: usize) -> Option<usize> {
    let (size, mut t) = (size as i64, i as i64 - before);
    if mode == "reflect" && size == 1 {
        t = 0;
    }
    while t < 0 || t >= size {
        t = match mode {
            "edge" => t.clamp(0, size - 1),
            "wrap" => t + if t < 0 { size } else { -size },
            "reflect" if t < 0 => -t,
            "reflect" => 2 * (size - 1) - t,
            _ => return None,
        };
    }
    usize::try_from(t).ok()
}

#[test]
fn pads_of_every_mode() {
    let mut random = Random::new(6);
    for mode in ["constant", "edge", "reflect", "wrap"] {
        for (rank, dtype) in (1..=4).zip(TYPES) {
            for _ in 0..2 {
                let dims = shape(&mut random, rank);
                let x = Raw::random(&mut random, dtype, &dims);
                let pads: Vec<i32> = (0..2 * rank)
                    .map(|_| i32::try_from(random.index(4)).unwrap())
                    .collect();
                let more = |d: usize| usize::try_from(pads[d] + pads[d + rank]).unwrap();
                let to: Vec<usize> = (0..rank).map(|d| dims[d] + more(d)).collect();
                let y = x.made(&to, |at| {
                    (0..rank)
                        .map(|d| padded(mode, at[d], pads[d].into(), dims[d]))
                        .collect()
                });
                let op = x.feed(OneOp::new(ONNX, "Pad")).integers(&pads);
                check(op.text("mode", mode), &[y]);
            }
        }
    }
}

/// The value is fed, so it fills all before x is put inside.
#[test]
fn pads_with_a_value_of_the_run() {
    let mut random = Random::new(7);
    for dtype in TYPES {
        let x = Raw::random(&mut random, dtype, &[2, 3]);
        let value = Raw::random(&mut random, dtype, &[]);
        let mut y = x.made(&[4, 4], |at| {
            Some(vec![
                at[0].checked_sub(1).filter(|&i| i < 2)?,
                at[1].checked_sub(1)?,
            ])
        });
        for (at, element) in indices(&[4, 4]).iter().zip(y.bytes.chunks_mut(dtype.1)) {
            if at[0] == 0 || at[0] == 3 || at[1] == 0 {
                element.copy_from_slice(&value.bytes);
            }
        }
        let op = x.feed(OneOp::new(ONNX, "Pad")).integers(&[1, 1, 1, 0]);
        check(value.feed(op), &[y]);
    }
}

/// Indices fed as 64-bit integers, negative ones among them.
#[test]
fn gathers_rows_elements_and_tuples() {
    let mut random = Random::new(8);
    for dtype in TYPES {
        for axis in 0..3 {
            let dims = [2, 5, 3];
            let x = Raw::random(&mut random, dtype, &dims);
            let size = dims[axis];
            let picked: Vec<usize> = (0..4).map(|_| random.index(size)).collect();
            let given = picked.iter().enumerate().map(|(i, &pick)| {
                let pick = i64::try_from(pick).unwrap();
                let negative = i % 2 == 1;
                pick - if negative { size as i64 } else { 0 }
            });
            let given: Vec<u8> = given.flat_map(i64::to_le_bytes).collect();
            let mut to = dims.to_vec();
            to.splice(axis..=axis, [2, 2]);
            let y = x.made(&to, |at| {
                let mut from = at.to_vec();
                let pick = picked[at[axis] * 2 + at[axis + 1]];
                from.splice(axis..axis + 2, [pick]);
                Some(from)
            });
            let op = x.feed(OneOp::new(ONNX, "Gather").int("axis", axis as i64));
            check(op.fed(DType::I64, &[2, 2], words(&given)), &[y]);
        }
        let x = Raw::random(&mut random, dtype, &[3, 4]);
        // [[0, 2, 1], [1, 0, 2]] along axis 0.
        let rows = [0_usize, 2, 1, 1, 0, 2];
        let y = x.made(&[2, 3], |at| Some(vec![rows[at[0] * 3 + at[1]], at[1]]));
        let given: Vec<u32> = rows
            .iter()
            .map(|&row| u32::try_from(row).unwrap())
            .collect();
        let op = x.feed(OneOp::new(ONNX, "GatherElements"));
        check(op.fed(DType::I32, &[2, 3], given), &[y]);
        // The tuples (2, 3), (0, -1).
        let y = x.made(&[2], |at| {
            Some(if at[0] == 0 { vec![2, 3] } else { vec![0, 3] })
        });
        let op = x.feed(OneOp::new(ONNX, "GatherND"));
        check(op.fed(DType::I32, &[2, 2], vec![2, 3, 0, u32::MAX]), &[y]);
    }
}

/// The figures of the definition: one row of blocks of four channels.
#[test]
fn depth_to_space_in_both_orders() {
    let mut random = Random::new(9);
    for (mode, crd) in [("DCR", false), ("CRD", true)] {
        let x = Raw::random(&mut random, TYPES[2], &[2, 8, 2, 3]);
        let y = x.made(&[2, 2, 4, 6], |at| {
            let place = (at[2] % 2) * 2 + at[3] % 2;
            let channel = if crd {
                at[1] * 4 + place
            } else {
                place * 2 + at[1]
            };
            Some(vec![at[0], channel, at[2] / 2, at[3] / 2])
        });
        let op = x.feed(OneOp::new(ONNX, "DepthToSpace").text("mode", mode));
        check(op.int("blocksize", 2), std::slice::from_ref(&y));
        if !crd {
            check(
                y.feed(OneOp::new(ONNX, "SpaceToDepth").int("blocksize", 2)),
                &[x],
            );
        }
    }
}

/// Pads of less than nothing cut, and what they cut off is not mirrored.
#[test]
fn negative_pads_cut() {
    let op = |mode| {
        OneOp::new(ONNX, "Pad")
            .input(&[4], &[1.0, 2.0, 3.0, 4.0])
            .integers(&[-1, 2])
            .text("mode", mode)
            .output(DType::F32, &[5])
    };
    op("constant").check(&[2.0, 3.0, 4.0, 0.0, 0.0], 0.0);
    op("edge").check(&[2.0, 3.0, 4.0, 4.0, 4.0], 0.0);
    op("reflect").check(&[2.0, 3.0, 4.0, 3.0, 2.0], 0.0);
    op("wrap").check(&[2.0, 3.0, 4.0, 2.0, 3.0], 0.0);
}

#[test]
fn dropout_keeps_everything() {
    let op = OneOp::new(ONNX, "Dropout")
        .input(&[5], &[1.0, 2.0, 3.0, 4.0, 5.0])
        .output(DType::F32, &[5])
        .output(DType::Bool, &[5]);
    let (on_cpu, on_gpu) = op.run();
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        assert_eq!(outputs[0], [1.0_f32, 2.0, 3.0, 4.0, 5.0].map(f32::to_bits));
        // Five bytes of 1, and nothing after them.
        assert_eq!(outputs[1], [0x0101_0101, 0x01]);
    }
}

/// The caller reads what needs no computing.
#[test]
fn a_shape_is_an_output() {
    let op = OneOp::new(ONNX, "Shape")
        .input(&[2, 3, 1], &[0.0; 6])
        .output(DType::I64, &[3]);
    let (on_cpu, on_gpu) = op.run();
    for outputs in [Some(on_cpu), on_gpu].into_iter().flatten() {
        assert_eq!(outputs[0], [2, 0, 3, 0, 1, 0]);
    }
}

#[test]
fn what_is_not_run_is_named() {
    let trained = OneOp::new(ONNX, "Dropout")
        .input(&[2], &[0.0; 2])
        .weights(&[], &[0.5])
        .integers(&[1])
        .output(DType::F32, &[2]);
    assert!(
        trained.refusal().contains("training"),
        "{}",
        trained.refusal()
    );
}
