//! `TfIdfVectorizer`: how often n-grams of integers are in rows.

use planner::graph::{Attribute, DType};
use planner::{Message, message};

use crate::elements;
use crate::kernels::{Kernel, NGramsMode, NGramsParams, typed_grid};
use crate::lower::Dispatches;
use crate::lower::call::{Call, all_floats};
use crate::lower::table::table;
use crate::recording::Dispatch;
use planner::operators::Operator;

/// The dispatch of this operator; `None` when it is another one.
pub(in crate::lower) fn dispatches(call: &Call<'_>, _opset: u32) -> Option<Dispatches> {
    let found = call.op.is(Operator::TfIdfVectorizer);
    found.then(|| call.unless_empty(vectorizer))
}

fn misfit() -> Message {
    message!("its shapes do not fit")
}

fn vectorizer(call: &Call<'_>) -> Result<Dispatch, Message> {
    let (x, y) = (call.input(0)?, call.output(0)?);
    all_floats([y])?;
    if !matches!(x.dtype, DType::I32 | DType::I64) {
        return Err(message!("indices of type {} are not read", x.dtype.name()));
    }
    let mode = match call.op.text("mode") {
        Some("TF") => NGramsMode::Tf,
        Some("IDF") => NGramsMode::Idf,
        Some("TFIDF") => NGramsMode::TfIdf,
        other => {
            return Err(message!(
                "there is no kernel for its mode {}",
                other.unwrap_or("")
            ));
        }
    };
    let (Some(&len), Some(&columns)) = (x.dims.last(), y.dims.last()) else {
        return Err(misfit());
    };
    let rows = x.len().checked_div(len).unwrap_or_default();
    if u64::from(rows) * u64::from(columns) != u64::from(y.len()) {
        return Err(misfit());
    }
    let weights = match call.op.attribute("weights") {
        _ if mode == NGramsMode::Tf => vec![0],
        Some(Attribute::Floats(weights)) if weights.len() == columns as usize => {
            weights.iter().map(|weight| weight.to_bits()).collect()
        }
        // Without weights all are alike.
        None => vec![1.0_f32.to_bits(); columns as usize],
        Some(_) => return Err(misfit()),
    };
    let skips = call.op.int("max_skip_count").unwrap_or_default();
    // Farther than a row is long nothing lies.
    let reach = skips.clamp(0, i64::from(len)) + 1;
    let params = NGramsParams {
        count: y.len(),
        len,
        columns,
        reach: u32::try_from(reach).map_err(|_error| misfit())?,
    };
    let words = words(&grams(call)?, columns)?;
    let dispatch = Dispatch::new(Kernel::NGrams, &params, typed_grid(y));
    let (grams, weights) = (table(y, DType::U32, words), table(y, DType::F32, weights));
    Ok(dispatch
        .reads([x, &grams, &weights])
        .writes(y)
        .constant("KIND", elements::code(x.dtype))
        .constant("TO", elements::code(y.dtype))
        .constant("MODE", mode.code()))
}

/// The n-grams that are looked for, each with its column.
fn grams<'a>(call: &Call<'a>) -> Result<Vec<(u32, &'a [i64])>, Message> {
    let list = |name: &str| call.op.ints(name).ok_or_else(misfit);
    let (pool, counts, columns) = (
        list("pool_int64s")?,
        list("ngram_counts")?,
        list("ngram_indexes")?,
    );
    let bound = |name: &str| call.op.int(name).and_then(|n| usize::try_from(n).ok());
    let least = bound("min_gram_length").ok_or_else(misfit)?;
    let most = bound("max_gram_length").ok_or_else(misfit)?;
    let place = |index: usize| match counts.get(index) {
        Some(&start) => usize::try_from(start).ok(),
        None => Some(pool.len()),
    };
    let mut columns = columns.iter();
    let mut found = Vec::new();
    for index in 0..counts.len() {
        let range = place(index).zip(place(index + 1));
        let level = range.and_then(|(start, end)| pool.get(start..end));
        let size = index + 1;
        for gram in level.ok_or_else(misfit)?.chunks_exact(size) {
            let column = columns
                .next()
                .and_then(|&column| u32::try_from(column).ok());
            let column = column.ok_or_else(misfit)?;
            if (least..=most).contains(&size) {
                found.push((column, gram));
            }
        }
    }
    Ok(found)
}

/// The table that the kernel reads.
fn words(grams: &[(u32, &[i64])], columns: u32) -> Result<Vec<u32>, Message> {
    let mut grams = grams.to_vec();
    grams.sort_by_key(|(column, _)| *column);
    if grams.last().is_some_and(|(column, _)| *column >= columns) {
        return Err(misfit());
    }
    let narrow = |n: usize| u32::try_from(n).map_err(|_error| misfit());
    let mut words = Vec::new();
    for column in 0..=columns {
        words.push(narrow(grams.partition_point(|(own, _)| *own < column))?);
    }
    let mut first = words.len() + 2 * grams.len();
    for (_, gram) in &grams {
        words.extend([narrow(gram.len())?, narrow(first)?]);
        first += 2 * gram.len();
    }
    for (_, gram) in &grams {
        words.extend(elements::words_of_ints(DType::I64, gram));
    }
    Ok(words)
}
