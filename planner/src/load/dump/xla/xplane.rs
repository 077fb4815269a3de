//! A profile of XProf (`*.xplane.pb`): the modules that ran are in it, each with its buffer
//! assignment as `*.hlo.pb` has it, as a statistic in bytes of the plane of metadata.
//!
//! Field numbers are those of `xplane.proto`.

use super::{arenas, proto};
use crate::deployed::{Deployed, Stacks};
use crate::load::dump::Dump;
use crate::load::dump::line::{MAX_ARENAS, holds};
use crate::load::protobuf::{Broken, Message, Reader, varint};
use crate::load::{Fault, LoadError, Source, SourceError, Warning};
use crate::message;
use crate::units::narrow;

/// The plane in which the modules are.
const PLANE: &str = "metadata";
/// Most modules.
const MAX_MODULES: usize = 4096;
/// Bytes of a statistic that tell whether it is a module.
const HEAD: u64 = 4096;

/// Whether `head` begins with a plane that is called as XProf's are.
pub(in crate::load) fn sniff(head: &[u8]) -> bool {
    let named = || {
        let (_, plane) = varint(head.strip_prefix(&[0x0a])?)?;
        // The number, where it is not 0, and then the name.
        let plane = match plane.strip_prefix(&[0x08]) {
            Some(number) => varint(number)?.1,
            None => plane,
        };
        let (length, name) = varint(plane.strip_prefix(&[0x12])?)?;
        let name = name.get(..usize::try_from(length).ok()?)?;
        let plain = !name.is_empty() && name.iter().all(|it| (b' '..0x7f).contains(it));
        Some(plain && (name.starts_with(b"/") || holds(head, b"/host:metadata")))
    };
    named().unwrap_or_default()
}

/// Where a module is: its name, its first byte and how many it has.
struct ModuleRange {
    name: String,
    start: u64,
    len: u64,
}

/// A part of a file as a file.
struct Window<'s> {
    source: &'s dyn Source,
    start: u64,
    len: u64,
}

impl Source for Window<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let len = target.len() as u64;
        let end = start.checked_add(len).filter(|end| *end <= self.len);
        match end {
            Some(_) => self
                .source
                .read_at(self.start.saturating_add(start), target),
            None => Err(SourceError::Beyond { start, len }),
        }
    }
}

/// The arenas of every module that has a buffer assignment, module by module.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] where there is none.
pub(in crate::load) fn read(source: &dyn Source) -> Dump {
    let mut reader = Reader::new(source);
    let mut places = Vec::new();
    let found = space(&mut reader.root("XSpace"), &mut places);
    if let Err(broken) = found {
        return Err(reader.fault(broken));
    }
    let (mut all, mut warnings) = (Deployed::default(), Vec::new());
    let mut without = 0;
    let several = places.len() > 1;
    for ModuleRange { name, start, len } in places {
        let window = Window { source, start, len };
        let mut head = vec![0; usize::try_from(len.min(HEAD)).unwrap_or_default()];
        window.read_at(0, &mut head)?;
        if !proto::sniff(&head) {
            continue;
        }
        let mut own = Vec::new();
        let read = proto::read(&window, &mut own).and_then(|it| arenas::deployed(it, own));
        match read {
            Err(error) if error.kind == Fault::Unsupported => without += 1,
            Err(error) => return Err(error.within(&name)),
            Ok((found, own)) => {
                add(&mut all, found, if several { &name } else { "" });
                warnings.extend(own.into_iter().map(|it| Warning {
                    place: message!("{}, {}", name, it.place),
                    ..it
                }));
            }
        }
        if all.arenas.len() > MAX_ARENAS {
            return Err(fault(
                Fault::Limit,
                message!("more than {} arenas", MAX_ARENAS),
            ));
        }
    }
    if without > 0 {
        warnings.push(Warning::of_file(message!(
            "{} modules have no buffer assignment or no schedule and are left out",
            without
        )));
    }
    if all.arenas.is_empty() {
        let message =
            message!("the profile has no module with a buffer assignment: dump the module instead");
        return Err(fault(Fault::Unsupported, message));
    }
    Ok((all, warnings))
}

fn fault(kind: Fault, message: crate::Message) -> LoadError {
    kind.in_file(message)
}

/// Takes in what one module has. What modules sum up to is of each alone, for they run in turn.
fn add(all: &mut Deployed, found: Deployed, name: &str) {
    let (frames, stacks) = (
        narrow(all.stacks.frames.len()),
        narrow(all.stacks.stacks.len()),
    );
    let Stacks {
        frames: new,
        stacks: ways,
    } = found.stacks;
    all.stacks.frames.extend(new);
    let ways = ways.into_iter();
    let ways = ways.map(|way| {
        way.into_iter()
            .map(|it| it.saturating_add(frames))
            .collect()
    });
    all.stacks.stacks.extend::<Vec<Vec<u32>>>(ways.collect());
    for mut arena in found.arenas {
        if !name.is_empty() {
            arena.name = message!("{}: {}", name, arena.name);
        }
        for note in &mut arena.notes {
            if note.stack > 0 {
                note.stack = note.stack.saturating_add(stacks);
            }
        }
        all.arenas.push(arena);
    }
    all.totals = if name.is_empty() {
        found.totals
    } else {
        Vec::new()
    };
    all.toolchain = found.toolchain;
}

/// Reads an `XSpace`.
fn space(fields: &mut Message<'_, '_>, places: &mut Vec<ModuleRange>) -> Result<(), Broken> {
    while let Some(mut field) = fields.next()? {
        if field.number == 1 {
            plane(field.message("XPlane")?, places)?;
        }
    }
    Ok(())
}

fn plane(mut fields: Message<'_, '_>, places: &mut Vec<ModuleRange>) -> Result<(), Broken> {
    let mut name = String::new();
    while let Some(mut field) = fields.next()? {
        match field.number {
            2 => name = field.text()?,
            4 if name.ends_with(PLANE) => {
                let mut entry = field.message("EventMetadataEntry")?;
                while let Some(mut field) = entry.next()? {
                    if field.number == 2 {
                        event(field.message("XEventMetadata")?, places)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads an `XEventMetadata`: the name of a module, and its bytes.
fn event(mut fields: Message<'_, '_>, places: &mut Vec<ModuleRange>) -> Result<(), Broken> {
    let mut name = String::new();
    while let Some(mut field) = fields.next()? {
        match field.number {
            2 => name = field.text()?,
            5 => {
                let mut stat = field.message("XStat")?;
                while let Some(mut field) = stat.next()? {
                    if field.number == 6 {
                        let blob = field.blob()?;
                        if places.len() == MAX_MODULES {
                            let message = message!("more than {} modules", MAX_MODULES);
                            return Err(Broken::new(Fault::Limit, message));
                        }
                        places.push(ModuleRange {
                            name: name.clone(),
                            start: blob.start,
                            len: blob.len,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}
