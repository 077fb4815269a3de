//! Sentences for people: a template in English, and what stands in its holes. Who speaks another
//! language translates the template and fills in the same arguments.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where an argument stands in a template.
pub const HOLE: &str = "{}";

/// A sentence, or a part of one: made by [`message!`](crate::message!), shown in English.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message(Box<Parts>);

/// What a message is made of: errors that hold several messages stay small so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Parts {
    template: Cow<'static, str>,
    arguments: Vec<Argument>,
}

/// What stands in a hole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Argument {
    /// A name or a number, the same in every language.
    Verbatim(String),
    /// A sentence within the sentence.
    Message(Message),
}

/// What can stand in a hole: all that can be shown, as it is, and sentences as sentences.
pub trait AsArgument: fmt::Display {
    /// What is put into the hole.
    fn argument(&self) -> Argument {
        Argument::Verbatim(self.to_string())
    }
}

impl<T: AsArgument + ?Sized> AsArgument for &T {
    fn argument(&self) -> Argument {
        (*self).argument()
    }
}

impl AsArgument for Message {
    fn argument(&self) -> Argument {
        Argument::Message(self.clone())
    }
}

/// Types that are shown the same in every language: names and numbers.
#[macro_export]
macro_rules! impl_verbatim {
    ($($type:ty),* $(,)?) => { $(impl $crate::AsArgument for $type {})* };
}
impl_verbatim! {
    str, String, Cow<'_, str>, fmt::Arguments<'_>, char, bool, u8, u16, u32, u64, u128, usize, i8, i16,
    i32, i64, i128, isize, f32, f64, core::str::EscapeDebug<'_>,
}

/// `Display` in English, and a sentence within sentences, for what has a `message` method.
#[macro_export]
macro_rules! impl_message {
    ($($type:ty),* $(,)?) => { $(
        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.message().fmt(f)
            }
        }
        impl $crate::AsArgument for $type {
            fn argument(&self) -> $crate::message::Argument {
                $crate::message::Argument::Message(self.message())
            }
        }
    )* };
}

/// A [`Message`]: its template, with `{}` for each hole, and an argument for each; or a count and
/// the noun that goes with it: `message!("row" | "rows", 2)`.
///
/// ```text
/// let at = planner::message!("line {}", 3);
/// let told = planner::message!("{}: more than {} rows", at, 1000);
/// assert_eq!(told.to_string(), "line 3: more than 1000 rows");
/// ```
#[macro_export]
macro_rules! message {
    ($template:literal $(, $argument:expr)* $(,)?) => {{
        // As many holes as arguments, or it does not compile.
        const ARGUMENTS: &[&str] = &[$(stringify!($argument)),*];
        const { assert!($crate::holes($template) == ARGUMENTS.len()) }
        $crate::Message::new($template, &[$(&$argument as &dyn $crate::AsArgument),*])
    }};
    ($one:literal | $many:literal, $count:expr $(,)?) => {
        $crate::counted($count, $crate::message!($one), $crate::message!($many))
    };
}

/// How many holes a template has.
#[must_use]
pub const fn holes(template: &str) -> usize {
    let bytes = template.as_bytes();
    let (mut found, mut at) = (0, 1);
    while at < bytes.len() {
        if bytes[at - 1] == b'{' && bytes[at] == b'}' {
            found += 1;
        }
        at += 1;
    }
    found
}

/// A count with its noun, in the number that goes with it: "1 row", "2 rows".
#[must_use]
pub fn counted(count: usize, one: Message, many: Message) -> Message {
    let noun = if count == 1 { one } else { many };
    crate::message!("{} {}", count, noun)
}

impl Message {
    fn of(template: Cow<'static, str>, arguments: Vec<Argument>) -> Self {
        Self(Box::new(Parts {
            template,
            arguments,
        }))
    }

    /// What [`message!`](crate::message!) makes.
    #[must_use]
    pub fn new(template: &'static str, arguments: &[&dyn AsArgument]) -> Self {
        let arguments = arguments.iter().map(|it| it.argument()).collect();
        Self::of(Cow::Borrowed(template), arguments)
    }

    /// What is the same in every language: a name, or what a library says.
    #[must_use]
    pub fn verbatim(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() {
            return Self::default();
        }
        Self::of(Cow::Borrowed(HOLE), Vec::from([Argument::Verbatim(text)]))
    }

    /// One after the other, with `between` between them.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let arguments: Vec<_> = items.into_iter().map(Argument::Message).collect();
        let holes: Vec<_> = arguments.iter().map(|_| HOLE).collect();
        Self::of(Cow::Owned(holes.join(between)), arguments)
    }

    /// The text around the arguments, with `{}` for each.
    #[must_use]
    pub fn template(&self) -> &str {
        &self.0.template
    }

    /// What stands in the holes, from the first to the last.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        &self.0.arguments
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.template.is_empty()
    }
}

/// In English. Where a template counts bytes, one of them is a byte.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arguments = self.arguments().iter();
        for (index, piece) in self.template().split(HOLE).enumerate() {
            let mut one = false;
            match (index > 0).then(|| arguments.next()).flatten() {
                Some(Argument::Verbatim(text)) => {
                    one = text == "1";
                    f.write_str(text)?;
                }
                Some(Argument::Message(message)) => message.fmt(f)?,
                None => {}
            }
            match piece.strip_prefix(" bytes").filter(|_| one) {
                Some(rest) => write!(f, " byte{rest}")?,
                None => f.write_str(piece)?,
            }
        }
        Ok(())
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, text: &str) -> bool {
        let said = self.to_string();
        said == text
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}

/// Its English text in formats that people read; template and arguments in binary ones.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            (self.template(), self.arguments()).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return String::deserialize(deserializer).map(Self::verbatim);
        }
        let (template, arguments) = <(String, Vec<Argument>)>::deserialize(deserializer)?;
        Ok(Self::of(Cow::Owned(template), arguments))
    }
}
