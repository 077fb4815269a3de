//! A linear program over a box, by the primal-dual hybrid gradient method.
//!
//! ```text
//! min c·x,  A x >= b,  0 <= x <= 1        x' = box(x - s/w (c - Aᵀ y))
//!                                         y' = max(0, y + s w (b - A (2 x' - x)))
//! ```
//!
//! The method is that of PDLP (Applegate et al., "Practical Large-Scale Linear Programming using
//! Primal-Dual Hybrid Gradient", NeurIPS 2021): the matrix is scaled (Ruiz, then Pock and
//! Chambolle), the primal weight w is balanced where it restarts. Between restarts it is anchored
//! and reflected instead of averaged (Lu and Yang, "Restarted Halpern PDHG for Linear
//! Programming", 2024, section 3), for which one number per iteration says when to restart.
//!
//! Only +, −, ×, ÷ and square roots, in one order: every machine computes the same bits.

/// Rows of numbers that are mostly zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    ends: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Sparse {
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = (usize, f64)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len());
    }

    fn rows(&self) -> usize {
        self.ends.len()
    }

    fn span(&self, row: usize) -> std::ops::Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[row]
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let span = self.span(row);
        let columns = self.columns[span.clone()].iter().copied();
        columns.zip(self.values[span].iter().copied())
    }

    /// What a row comes to at `x`.
    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (column, value) in self.row(row) {
            sum += value * x[column];
        }
        sum
    }

    fn transposed(&self, columns: usize) -> Self {
        let mut lists: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns];
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                lists[column].push((row, value));
            }
        }
        let mut turned = Self::default();
        lists.into_iter().for_each(|list| turned.push(list));
        turned
    }

    /// Row by row and column by column times these.
    fn scaled(&self, rows: &[f64], columns: &[f64]) -> Self {
        let mut scaled = Self::default();
        for (row, by) in rows.iter().enumerate() {
            let entries = self.row(row);
            scaled.push(entries.map(|(column, value)| (column, value * by * columns[column])));
        }
        scaled
    }
}

/// Minimise `cost`·x where `matrix` x ≥ `least`, every x from 0 to 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) cost: Vec<f64>,
    pub(super) matrix: Sparse,
    pub(super) least: Vec<f64>,
}

/// What is known of a program's optimum.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// Near the optimum, within the box; the rows hold nearly.
    pub(super) x: Vec<f64>,
    /// The optimum is not less, rounding errors included.
    pub(super) at_least: f64,
    /// No x meets all rows.
    pub(super) impossible: bool,
    solver: Solver,
}

/// How far rounding errors may reach, relative to the sum of the sizes of all terms: 2⁻⁵³ times
/// the most terms of a sum (2²⁰) is 2⁻³³.
const ERROR: f64 = 1e-9;
/// Scalings that make the largest entries of rows and columns alike.
const RUIZ: usize = 10;
/// After so many iterations the observer is asked and the bound is computed.
const PERIOD: u64 = 64;
/// It has converged where a step is so short, relative to the first one.
const CLOSE: f64 = 1e-7;
/// The same where it is solved again.
const ROUGH: f64 = 1e-4;

impl Program {
    /// What one iteration takes.
    pub(super) fn work(&self) -> u64 {
        (2 * self.matrix.values.len() + self.cost.len() + self.least.len()) as u64 + 1
    }

    /// The least that c·x can be, by weak duality: for y ≥ 0, c·x ≥ b·y + (c − Aᵀ y)·x, and over
    /// the box each term of that is at least its least. Whatever y is, this is true. The second
    /// is the same without c: above 0, no x meets all rows.
    fn bound(&self, columns: &Sparse, y: &[f64]) -> (f64, f64) {
        let (mut sum, mut ray, mut size) = (0.0, 0.0, 0.0);
        for (least, y) in self.least.iter().zip(y) {
            sum += least * y;
            size += (least * y).abs();
        }
        ray += sum;
        for (column, cost) in self.cost.iter().enumerate() {
            let mut priced = 0.0;
            for (row, value) in columns.row(column) {
                priced += value * y[row];
                size += (value * y[row]).abs();
            }
            size += cost.abs();
            sum += (cost - priced).min(0.0);
            ray += (-priced).min(0.0);
        }
        (sum - ERROR * size, ray - ERROR * size)
    }

    /// Runs for at most `most` iterations. `watch` hears how many were done, and
    /// says whether to go on.
    pub(super) fn solve(&self, most: u64, watch: &mut dyn FnMut(u64) -> bool) -> Solved {
        let columns = self.matrix.transposed(self.cost.len());
        let mut solved = Solved {
            solver: Solver::new(self, &columns),
            x: vec![0.0; self.cost.len()],
            at_least: self.bound(&columns, &vec![0.0; self.least.len()]).0,
            impossible: false,
        };
        let solver = &mut solved.solver;
        let mut y = vec![0.0; self.least.len()];
        for done in 0..most {
            solver.step();
            let converged = solver.length <= CLOSE * solver.longest;
            if (done + 1) % PERIOD == 0 || converged || done + 1 == most {
                for ((y, own), scale) in y.iter_mut().zip(&solver.to_y).zip(&solver.rows) {
                    *y = own * scale;
                }
                let (bound, ray) = self.bound(&columns, &y);
                solved.at_least = solved.at_least.max(bound);
                solved.impossible |= ray > 0.0;
                let go_on = watch(done + 1);
                if converged || solved.impossible || !go_on {
                    break;
                }
            }
            solver.advance();
        }
        solved.read();
        solved
    }
}

impl Solved {
    fn read(&mut self) {
        let own = self.solver.to_x.iter().zip(&self.solver.columns);
        for (x, (own, scale)) in self.x.iter_mut().zip(own) {
            *x = own * scale;
        }
    }

    /// From now on this number is that, from 0 to 1.
    pub(super) fn fix(&mut self, column: usize, value: f64) {
        let value = value / self.solver.columns[column];
        self.solver.limits[column] = (value, value);
    }

    /// Solves again from where it is, in at most so many iterations; the bound stays as it is.
    pub(super) fn again(&mut self, most: u64) {
        let solver = &mut self.solver;
        solver.restart();
        let longest = solver.longest;
        for _ in 0..most {
            solver.step();
            if solver.length <= ROUGH * longest {
                break;
            }
            solver.advance();
        }
        self.read();
    }
}

/// The state of the method, of the scaled program.
#[derive(Clone, Debug)]
struct Solver {
    by_row: Sparse,
    by_column: Sparse,
    cost: Vec<f64>,
    least: Vec<f64>,
    /// What scaled numbers are multiplied by: those of rows (y), and those of columns (x).
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// Where each x may be.
    limits: Vec<(f64, f64)>,
    /// The primal weight.
    weight: f64,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Where the last step led.
    to_x: Vec<f64>,
    to_y: Vec<f64>,
    /// Where it restarted.
    from_x: Vec<f64>,
    from_y: Vec<f64>,
    /// Steps since then, the length of the first of them, and steps in all.
    since: u64,
    first: f64,
    steps: u64,
    /// The length of the last step, of the one before, and of the longest first one.
    length: f64,
    before: f64,
    longest: f64,
}

/// The step: the scaled matrix is at most 1 long (Pock and Chambolle 2011, lemma 2).
const STEP: f64 = 0.998;

impl Solver {
    fn new(program: &Program, turned: &Sparse) -> Self {
        let (rows, columns) = scales(program, turned);
        let times = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
        let cost: Vec<f64> = times(&program.cost, &columns);
        let least: Vec<f64> = times(&program.least, &rows);
        let weight = match (norm(&cost), norm(&least)) {
            (a, b) if a > 0.0 && b > 0.0 => a / b,
            _ => 1.0,
        };
        let (x, y) = (vec![0.0; cost.len()], vec![0.0; least.len()]);
        Self {
            by_row: program.matrix.scaled(&rows, &columns),
            by_column: turned.scaled(&columns, &rows),
            limits: columns.iter().map(|scale| (0.0, 1.0 / scale)).collect(),
            weight,
            to_x: x.clone(),
            to_y: y.clone(),
            from_x: x.clone(),
            from_y: y.clone(),
            x,
            y,
            cost,
            least,
            rows,
            columns,
            since: 0,
            first: 0.0,
            steps: 0,
            length: 0.0,
            before: 0.0,
            longest: 0.0,
        }
    }

    /// One step of the hybrid gradient from where it is.
    fn step(&mut self) {
        let (down, up) = (STEP / self.weight, STEP * self.weight);
        // 2 x' − x, then x' again.
        let mut moved = 0.0;
        for column in 0..self.x.len() {
            let slope = self.cost[column] - self.by_column.dot(column, &self.y);
            let (low, high) = self.limits[column];
            let to = (self.x[column] - down * slope).max(low).min(high);
            let by = to - self.x[column];
            moved += by * by;
            self.to_x[column] = to + by;
        }
        let mut raised = 0.0;
        for row in 0..self.y.len() {
            let short = self.least[row] - self.by_row.dot(row, &self.to_x);
            let to = (self.y[row] + up * short).max(0.0);
            let by = to - self.y[row];
            raised += by * by;
            self.to_y[row] = to;
        }
        for (to, x) in self.to_x.iter_mut().zip(&self.x) {
            *to = (*to + x) / 2.0;
        }
        self.before = self.length;
        self.length = (self.weight * moved + raised / self.weight).sqrt();
        self.steps += 1;
        if self.since == 0 {
            self.first = self.length;
            self.longest = self.longest.max(self.length);
        }
    }

    /// Goes there: on between the reflected step and the anchor, or anew from where the step led
    /// (PDLP, section 4.2: where it has come much nearer, or somewhat and no longer does, or
    /// after long).
    fn advance(&mut self) {
        let much = self.length <= 0.2 * self.first;
        let some = self.length <= 0.8 * self.first && self.length > self.before;
        let long = self.since * 25 >= self.steps * 9;
        self.since += 1;
        if self.since > 1 && (much || some || long) {
            return self.restart();
        }
        let on = self.since as f64 / (self.since + 1) as f64;
        let pull = |at: &mut Vec<f64>, to: &[f64], from: &[f64]| {
            for ((at, to), from) in at.iter_mut().zip(to).zip(from) {
                *at = on * (2.0 * to - *at) + (1.0 - on) * from;
            }
        };
        pull(&mut self.x, &self.to_x, &self.from_x);
        pull(&mut self.y, &self.to_y, &self.from_y);
    }

    fn restart(&mut self) {
        let (x, y) = (
            apart(&self.to_x, &self.from_x),
            apart(&self.to_y, &self.from_y),
        );
        // Halfway, of logarithms, to the ratio of the ways that both have come.
        if x > 1e-10 && y > 1e-10 {
            self.weight = (self.weight * (y / x)).sqrt();
        }
        self.x.copy_from_slice(&self.to_x);
        self.y.copy_from_slice(&self.to_y);
        self.from_x.copy_from_slice(&self.to_x);
        self.from_y.copy_from_slice(&self.to_y);
        self.since = 0;
    }
}

/// What rows and columns are multiplied by.
fn scales(program: &Program, turned: &Sparse) -> (Vec<f64>, Vec<f64>) {
    let mut rows = vec![1.0; program.least.len()];
    let mut columns = vec![1.0; program.cost.len()];
    let inverse = |size: f64| if size > 0.0 { 1.0 / size.sqrt() } else { 1.0 };
    for round in 0..=RUIZ {
        let size = |sparse: &Sparse, row: usize, own: f64, other: &[f64]| {
            let entries = sparse
                .row(row)
                .map(|(at, value)| (value * own * other[at]).abs());
            match round == RUIZ {
                true => entries.sum(),
                false => entries.fold(0.0, f64::max),
            }
        };
        let by_rows: Vec<f64> = (rows.iter().enumerate())
            .map(|(row, own)| inverse(size(&program.matrix, row, *own, &columns)))
            .collect();
        let by_columns: Vec<f64> = (columns.iter().enumerate())
            .map(|(column, own)| inverse(size(turned, column, *own, &rows)))
            .collect();
        rows.iter_mut()
            .zip(by_rows)
            .for_each(|(own, by)| *own *= by);
        columns
            .iter_mut()
            .zip(by_columns)
            .for_each(|(own, by)| *own *= by);
    }
    (rows, columns)
}

fn norm(of: &[f64]) -> f64 {
    of.iter().map(|it| it * it).sum::<f64>().sqrt()
}

fn apart(one: &[f64], other: &[f64]) -> f64 {
    let squares = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}
