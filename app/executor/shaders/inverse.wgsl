// y = the inverse of each matrix of x, one workgroup for each: Gauss-Jordan elimination in place, each time by the row with the largest number in the column.

struct Params {
    count: u32,
    // Rows and columns of a matrix.
    size: u32,
}

const MOST = 60u;
var<workgroup> matrix: array<f32, 3600>;
// Which row each column was cleared with, and the column before it was cleared.
var<workgroup> pivots: array<u32, MOST>;
var<workgroup> factors: array<f32, MOST>;

fn at(row: u32, column: u32) -> u32 { return row * u.p.size + column; }

fn largest(column: u32) -> u32 {
    var best = column;
    for (var row = column + 1u; row < u.p.size; row++) {
        if (abs(matrix[at(row, column)]) > abs(matrix[at(best, column)])) { best = row; }
    }
    return best;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let which = group_number(group, groups);
    if (which >= u.p.count) { return; }
    let size = u.p.size;
    let elements = size * size;
    for (var i = thread; i < elements; i += 64u) { matrix[i] = in0(which * elements + i); }
    for (var k = 0u; k < size; k++) {
        workgroupBarrier();
        if (thread == 0u) { pivots[k] = largest(k); }
        workgroupBarrier();
        let other = pivots[k];
        for (var column = thread; column < size; column += 64u) {
            let upper = matrix[at(k, column)];
            matrix[at(k, column)] = matrix[at(other, column)];
            matrix[at(other, column)] = upper;
        }
        workgroupBarrier();
        let head = matrix[at(k, k)];
        for (var row = thread; row < size; row += 64u) { factors[row] = matrix[at(row, k)]; }
        workgroupBarrier();
        // The column of the unit matrix that comes out takes the place of the one that is cleared.
        for (var column = thread; column < size; column += 64u) {
            matrix[at(k, column)] = select(matrix[at(k, column)], 1.0, column == k) / head;
        }
        workgroupBarrier();
        for (var row = thread; row < size; row += 64u) {
            if (row == k) { continue; }
            for (var column = 0u; column < size; column++) {
                let before = select(matrix[at(row, column)], 0.0, column == k);
                matrix[at(row, column)] = before - factors[row] * matrix[at(k, column)];
            }
        }
    }
    workgroupBarrier();
    // Rows that were exchanged are columns of the inverse, last exchange first.
    for (var row = thread; row < size; row += 64u) {
        for (var n = size; n > 0u; n--) {
            let other = pivots[n - 1u];
            let left = matrix[at(row, n - 1u)];
            matrix[at(row, n - 1u)] = matrix[at(row, other)];
            matrix[at(row, other)] = left;
        }
        for (var column = 0u; column < size; column++) {
            out0(which * elements + at(row, column), matrix[at(row, column)]);
        }
    }
}
