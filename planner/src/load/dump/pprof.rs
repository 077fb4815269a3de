//! The device memory profile of JAX (`jax.profiler.save_device_memory_profile`): a `profile.proto`
//! that says how many bytes each stack holds at one instant, without addresses or lifetimes.
//!
//! Field numbers are those of pprof's `profile.proto`. JAX has a sample for each stack with the
//! number of buffers and their bytes, and the labels `kind` (buffer or executable) and `device`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Dump;
use super::draft::{Draft, MAX_BUFFERS, Row};
use crate::deployed::{Arena, Deployed, Frame, Gathered, Note};
use crate::load::protobuf::{Broken, Message, Reader, varint};
use crate::load::{Fault, LoadError, Source, Warning};
use crate::message;
use crate::sorting::Sorting as _;
use crate::units::Span;

/// Most devices.
const MAX_DEVICES: usize = super::line::MAX_ARENAS;

/// Whether `head` begins with two types of samples, each of a name and a unit, as such a profile
/// does.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let one = |bytes: &[u8]| {
        let (length, rest) = varint(bytes.strip_prefix(&[0x0a])?)?;
        let (inside, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        let (_, unit) = varint(inside.strip_prefix(&[0x08])?)?;
        let (_, end) = varint(unit.strip_prefix(&[0x10])?)?;
        end.is_empty().then_some(rest.len())
    };
    let rest = |bytes: &[u8]| head.get(head.len() - one(bytes)?..);
    rest(head).and_then(rest).is_some()
}

/// A profile as the file has it; texts are indices of `texts`.
#[derive(Default)]
struct Profile {
    texts: Vec<String>,
    /// Name and unit.
    types: Vec<[i64; 2]>,
    samples: Vec<Sample>,
    /// Functions and lines of each location, innermost first.
    locations: BTreeMap<i64, Vec<[i64; 2]>>,
    /// Name and file.
    functions: BTreeMap<i64, [i64; 2]>,
    rows: usize,
}

/// What one stack holds.
#[derive(Default)]
struct Sample {
    /// Innermost first.
    locations: Vec<i64>,
    values: Vec<i64>,
    /// Key and text.
    labels: Vec<[i64; 2]>,
}

impl Profile {
    fn spend(&mut self) -> Result<(), Broken> {
        self.rows += 1;
        match self.rows > MAX_BUFFERS {
            true => {
                let message = message!("more than {} samples, lines and texts", MAX_BUFFERS);
                Err(Broken::new(Fault::Limit, message))
            }
            false => Ok(()),
        }
    }

    fn text(&self, index: i64) -> &str {
        let index = usize::try_from(index).ok();
        index
            .and_then(|it| self.texts.get(it))
            .map_or("", String::as_str)
    }

    fn read(&mut self, fields: &mut Message<'_, '_>) -> Result<(), Broken> {
        while let Some(mut field) = fields.next()? {
            if (1..=6).contains(&field.number) {
                self.spend()?;
            }
            match field.number {
                1 => {
                    let [name, unit] = numbers(field.message("ValueType")?)?;
                    self.types.push([name, unit]);
                }
                2 => {
                    let sample = self.sample(field.message("Sample")?)?;
                    self.samples.push(sample);
                }
                4 => self.location(field.message("Location")?)?,
                5 => {
                    let [id, name, _, file] = numbers(field.message("Function")?)?;
                    self.functions.insert(id, [name, file]);
                }
                6 => self.texts.push(field.text()?),
                _ => {}
            }
        }
        Ok(())
    }

    fn sample(&mut self, mut fields: Message<'_, '_>) -> Result<Sample, Broken> {
        let mut found = Sample::default();
        while let Some(mut field) = fields.next()? {
            let list = match field.number {
                1 => &mut found.locations,
                2 => &mut found.values,
                3 => {
                    self.spend()?;
                    found.labels.push(numbers(field.message("Label")?)?);
                    continue;
                }
                _ => continue,
            };
            if field.integers(list, || self.spend())?.is_some() {
                return Err(Broken::new(
                    Fault::Limit,
                    message!("a list of numbers is too long"),
                ));
            }
        }
        Ok(found)
    }

    fn location(&mut self, mut fields: Message<'_, '_>) -> Result<(), Broken> {
        let (mut id, mut lines) = (0, Vec::new());
        while let Some(mut field) = fields.next()? {
            match field.number {
                1 => id = field.integer()?,
                4 => {
                    self.spend()?;
                    lines.push(numbers(field.message("Line")?)?);
                }
                _ => {}
            }
        }
        self.locations.insert(id, lines);
        Ok(())
    }

    /// The frames of a sample, innermost first.
    fn stack(&self, sample: &Sample, stacks: &mut Gathered) -> u32 {
        let locations = sample.locations.iter();
        let lines = locations.filter_map(|it| self.locations.get(it)).flatten();
        let frames = lines.map(|&[function, line]| {
            let [name, file] = self.functions.get(&function).copied().unwrap_or_default();
            Frame {
                function: self.text(name).to_owned(),
                file: self.text(file).to_owned(),
                line: u32::try_from(line).unwrap_or(0),
            }
        });
        let frames = frames.map(|frame| stacks.frame(frame)).collect();
        stacks.stack(frames)
    }

    fn label(&self, sample: &Sample, key: &str) -> &str {
        let mut labels = sample.labels.iter();
        labels
            .find(|it| self.text(it[0]) == key)
            .map_or("", |it| self.text(it[1]))
    }
}

/// The first fields of a message that are numbers; 0 where one is not there.
fn numbers<const N: usize>(mut fields: Message<'_, '_>) -> Result<[i64; N], Broken> {
    let mut found = [0; N];
    while let Some(mut field) = fields.next()? {
        let place = usize::try_from(field.number).ok();
        let slot = place.and_then(|it| found.get_mut(it.checked_sub(1)?));
        if let Some(slot) = slot {
            *slot = field.integer()?;
        }
    }
    Ok(found)
}

/// What each stack holds, the most first, by device.
fn devices<'p>(
    profile: &'p Profile,
    stacks: &mut Gathered,
) -> Result<BTreeMap<&'p str, Draft>, LoadError> {
    let of = |unit: &str| {
        let mut types = profile.types.iter();
        types.position(|it| profile.text(it[1]) == unit)
    };
    let bytes = of("bytes").ok_or_else(|| {
        Fault::Unsupported.in_file(message!("it is a profile, but not one of bytes"))
    })?;
    let count = of("count");
    let mut devices: BTreeMap<&str, Draft> = BTreeMap::new();
    let mut samples: Vec<(usize, &Sample)> = profile.samples.iter().enumerate().collect();
    samples.order_by_key(|it| Reverse(it.1.values.get(bytes).copied()));
    for (index, sample) in samples {
        let size = sample.values.get(bytes).copied().unwrap_or_default();
        let size = u64::try_from(size)
            .map_err(|_below| fault(index, message!("it has fewer bytes than 0")))?;
        if size == 0 {
            continue;
        }
        let device = profile.label(sample, "device");
        if !devices.contains_key(device) && devices.len() == MAX_DEVICES {
            let message = message!("more than {} devices", MAX_DEVICES);
            return Err(LoadError {
                kind: Fault::Limit,
                ..fault(index, message)
            });
        }
        let draft = devices.entry(device).or_insert_with(|| {
            let mut draft = Draft::new(crate::Message::verbatim(device), "JAX");
            draft.horizon = 1;
            draft
        });
        let offset = draft.arena.unwrap_or_default();
        let end = offset.checked_add(size);
        draft.arena = Some(end.ok_or_else(|| LoadError {
            kind: Fault::Limit,
            ..fault(
                index,
                message!("all allocations together are longer than any memory"),
            )
        })?);
        let several = count.and_then(|it| sample.values.get(it)).copied();
        let kind = match profile.label(sample, "kind") {
            "" => "buffer",
            kind => kind,
        };
        let row = Row {
            name: match several {
                Some(several @ 2..) => format!("{kind} × {several}"),
                _ => kind.to_owned(),
            },
            size,
            span: Span::new(0, 1),
            offset,
            note: Note {
                role: kind.to_owned(),
                stack: profile.stack(sample, stacks),
                several: several.map_or(0, |it| u32::try_from(it).unwrap_or(0)),
                ..Note::default()
            },
            ..Row::default()
        };
        draft.push(|| message!("sample {}", index), row)?;
    }
    Ok(devices)
}

/// The bytes of every stack, device by device, end to end.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] for a profile of something else than bytes.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let mut reader = Reader::copying(source);
    let mut profile = Profile::default();
    let read = profile.read(&mut reader.root("Profile"));
    if let Err(broken) = read {
        return Err(reader.fault(broken));
    }
    let mut stacks = Gathered::default();
    let devices = devices(&profile, &mut stacks)?;
    let mut warnings = Vec::new();
    let mut arenas = Vec::new();
    for (_, draft) in devices {
        let arena = draft.finish(&mut warnings)?;
        arenas.push(Arena {
            separate: true,
            ..arena
        });
    }
    if arenas.is_empty() {
        return Err(Fault::Malformed.in_file(message!("no stack of it holds a byte")));
    }
    warnings.push(Warning::of_file(message!(
        "it is one instant: it says who holds how much, but neither where nor for how long; \
         what each stack holds is shown as one, end to end"
    )));
    let deployed = Deployed {
        toolchain: "JAX".into(),
        arenas,
        stacks: stacks.finish(),
        ..Deployed::default()
    };
    Ok((deployed, warnings))
}

fn fault(index: usize, message: crate::Message) -> LoadError {
    Fault::Malformed.at(message!("sample {}", index), message)
}
