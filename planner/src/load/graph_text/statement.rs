//! The grammar: the tokens of a line to what it says. Names are not looked up here.

use super::elements::{Number, float};
use super::lexer::{Token, TokenKind};
use super::parser::{NAME, NUMBER, Parser, Read, no_number};
use super::{fault, limit};
use crate::graph::{DType, Dialect, Quantization};
use crate::units::Offset;
use crate::{Message, message};

/// The most attributes of an operator.
const MAX_ATTRIBUTES: usize = 256;
/// What stands behind a name that is being defined or called: then the word before it is no
/// keyword.
const BEHIND_NAMES: [&str; 6] = ["=", ",", ":", "@", "(", "::"];

/// A name and where it stands.
#[derive(Clone)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) column: usize,
}

/// What a line says.
pub(super) enum Statement<'t> {
    Graph {
        name: String,
        dialect: Option<Dialect>,
    },
    Let(Vec<(Name, u64)>),
    Input(Vec<Target>),
    Const(Target, Option<Literal<'t>>),
    State(Vec<Target>),
    Output(Vec<Name>),
    Order(Vec<Name>),
    Call(Call<'t>),
}

/// A tensor that the line defines.
pub(super) struct Target {
    pub(super) name: Name,
    pub(super) kind: Option<(DType, Option<Vec<Size>>)>,
    pub(super) quantization: Option<Quantization>,
    pub(super) offset: Option<Offset>,
}

/// One dimension.
pub(super) enum Size {
    Fixed(u64),
    /// With the most that it may be.
    Symbol(Name, Option<u64>),
    /// With the example that the file gives.
    Unknown(Option<u64>),
}

/// Elements of a constant.
pub(super) struct Literal<'t> {
    pub(super) numbers: Vec<Number<'t>>,
    /// Whether they stand in brackets.
    pub(super) is_list: bool,
    pub(super) column: usize,
}

/// An operator and what it writes.
pub(super) struct Call<'t> {
    pub(super) outputs: Vec<Option<Target>>,
    pub(super) domain: String,
    pub(super) kind: Name,
    pub(super) inputs: Vec<Operand<'t>>,
    pub(super) attributes: Vec<(String, Value<'t>)>,
    pub(super) name: Option<String>,
    pub(super) stream: Option<u32>,
    pub(super) captures: Vec<Name>,
}

pub(super) enum Operand<'t> {
    /// Left out.
    Nothing,
    Name(Name),
    Elements(Literal<'t>),
}

pub(super) enum Value<'t> {
    Numbers(Literal<'t>),
    /// A list without any.
    Floats,
    Text(String),
    Texts(Vec<String>),
    Tensor(Name),
    Subgraph(u32),
}

impl<'t> Parser<'t> {
    /// What the line says.
    ///
    /// # Errors
    /// What is expected where something else stands.
    pub(super) fn statement(&mut self) -> Read<Statement<'t>> {
        let keyword = match (self.tokens.first(), self.tokens.get(1)) {
            (Some(first), None) if matches!(first.kind, TokenKind::Word) => first.text,
            (Some(first), Some(second))
                if matches!(first.kind, TokenKind::Word)
                    && !BEHIND_NAMES.contains(&second.text) =>
            {
                first.text
            }
            _ => "",
        };
        self.at = 1;
        let statement = match keyword {
            "graph" => self.graph()?,
            "let" => Statement::Let(self.some(Self::binding)?),
            "input" => Statement::Input(self.some(Self::target)?),
            "const" => {
                let target = self.target()?;
                let elements = match self.takes("=") {
                    true => Some(self.literal()?),
                    false => None,
                };
                Statement::Const(target, elements)
            }
            "state" => Statement::State(self.some(Self::target)?),
            "output" => Statement::Output(self.some(Self::name)?),
            "order" => Statement::Order(self.some(Self::name)?),
            _ => {
                self.at = 0;
                Statement::Call(self.call()?)
            }
        };
        match self.peek() {
            None => Ok(statement),
            Some(_) => Err(self.expected(message!("the end of the line"))),
        }
    }

    fn graph(&mut self) -> Read<Statement<'t>> {
        let dialect = self.is_word("onnx") || self.is_word("tflite");
        let name = match self.peek() {
            Some(_) if !dialect => self.text(NAME)?,
            _ => String::new(),
        };
        let dialect = if self.takes_word("tflite") {
            Some(Dialect::Tflite)
        } else if self.takes_word("onnx") {
            let opset = self.whole(NUMBER)?;
            Some(Dialect::Onnx { opset })
        } else {
            None
        };
        Ok(Statement::Graph { name, dialect })
    }

    fn binding(&mut self) -> Read<(Name, u64)> {
        let name = self.name()?;
        self.needs("=")?;
        Ok((name, self.whole(NUMBER)?))
    }

    fn target(&mut self) -> Read<Target> {
        let name = self.name()?;
        let mut target = Target {
            name,
            kind: None,
            quantization: None,
            offset: None,
        };
        if self.takes(":") {
            target.kind = Some(self.kind()?);
            if self.takes_word("q") {
                target.quantization = Some(self.quantization()?);
            }
        }
        if self.takes("@") {
            target.offset = Some(Offset(self.whole(NUMBER)?));
        }
        Ok(target)
    }

    fn kind(&mut self) -> Read<(DType, Option<Vec<Size>>)> {
        let dtype = self.peek().filter(|it| matches!(it.kind, TokenKind::Word));
        let dtype = dtype.and_then(|it| DType::named(it.text));
        let dtype = dtype.ok_or_else(|| self.expected(message!("an element type such as f32")))?;
        self.at += 1;
        let dims = match self.takes("[") {
            true => Some(self.until("]", Self::size)?),
            false => None,
        };
        Ok((dtype, dims))
    }

    fn size(&mut self) -> Read<Size> {
        if self.takes("?") {
            let example = match self.takes("=") {
                true => Some(self.whole(NUMBER)?),
                false => None,
            };
            return Ok(Size::Unknown(example));
        }
        Ok(match self.peek() {
            Some(Token {
                kind: TokenKind::Number,
                ..
            }) => Size::Fixed(self.whole(NUMBER)?),
            _ => {
                let name = self.named(|| message!("a dimension: a number, a name or `?`"))?;
                let most = match self.takes("<=") {
                    true => Some(self.whole(NUMBER)?),
                    false => None,
                };
                Size::Symbol(name, most)
            }
        })
    }

    fn quantization(&mut self) -> Read<Quantization> {
        self.needs("(")?;
        let column = self.column();
        let scales = self.literal()?;
        self.needs(",")?;
        let zero_points = self.literal()?;
        let axis = match self.takes(",") {
            true => self.whole(NUMBER)?,
            false => 0,
        };
        self.needs(")")?;
        let (scales, zero_points) = (self.floats(&scales)?, self.ints(&zero_points)?);
        if scales.len() != zero_points.len() || scales.is_empty() {
            let (scales, zero_points) = (scales.len(), zero_points.len());
            let message = message!("{} scales and {} zero points", scales, zero_points);
            return Err(fault(self.line, column, message));
        }
        Ok(Quantization {
            scales,
            zero_points,
            axis,
        })
    }

    /// A number, or several in brackets.
    fn literal(&mut self) -> Read<Literal<'t>> {
        const NUMBERS: fn() -> Message = || message!("a number, or numbers in brackets");
        let column = self.column();
        let is_list = self.takes("[");
        let numbers = match is_list {
            true => self.until("]", |it| it.number(|| message!("a number")))?,
            false => vec![self.number(NUMBERS)?],
        };
        Ok(Literal {
            numbers,
            is_list,
            column,
        })
    }

    fn floats(&self, literal: &Literal<'t>) -> Read<Vec<f32>> {
        let one = |it: &Number<'t>| float(*it).ok_or_else(|| no_number(self.line, *it));
        literal.numbers.iter().map(one).collect()
    }

    fn ints(&self, literal: &Literal<'t>) -> Read<Vec<i64>> {
        let one = |it: &Number<'t>| {
            let whole = it.whole().and_then(|it| i64::try_from(it).ok());
            whole.ok_or_else(|| no_number(self.line, *it))
        };
        literal.numbers.iter().map(one).collect()
    }

    fn call(&mut self) -> Read<Call<'t>> {
        let second = self.tokens.get(1).map(|it| it.text);
        let mut outputs = Vec::new();
        if !matches!(second, Some("(" | "::")) {
            outputs = self.some(|it| match it.takes_word("_") {
                true => Ok(None),
                false => it.target().map(Some),
            })?;
            self.needs("=")?;
        }
        const OPERATOR: fn() -> Message = || message!("an operator such as Relu(x)");
        let mut kind = self.named(OPERATOR)?;
        let mut domain = String::new();
        if self.takes("::") {
            domain = kind.text;
            kind = self.named(OPERATOR)?;
        }
        self.needs("(")?;
        let inputs = self.until(")", Self::operand)?;
        let mut call = Call {
            outputs,
            domain,
            kind,
            inputs,
            attributes: Vec::new(),
            name: None,
            stream: None,
            captures: Vec::new(),
        };
        while self.peek().is_some() {
            self.attribute(&mut call)?;
        }
        Ok(call)
    }

    fn operand(&mut self) -> Read<Operand<'t>> {
        if self.takes_word("_") {
            return Ok(Operand::Nothing);
        }
        Ok(match self.peek().map(|it| &it.kind) {
            Some(TokenKind::Number | TokenKind::Sign("[")) => Operand::Elements(self.literal()?),
            _ => Operand::Name(self.named(|| message!("a name, elements or `_`"))?),
        })
    }

    fn attribute(&mut self, call: &mut Call<'t>) -> Read<()> {
        let quoted = self
            .peek()
            .is_some_and(|it| matches!(it.kind, TokenKind::Quoted(_)));
        let column = self.column();
        let text = self.text(|| message!("an attribute such as axis=1"))?;
        self.needs("=")?;
        match text.as_str() {
            "name" if !quoted && call.name.is_none() => call.name = Some(self.text(NAME)?),
            "stream" if !quoted && call.stream.is_none() => call.stream = Some(self.whole(NUMBER)?),
            "captures" if !quoted && call.captures.is_empty() => {
                self.needs("[")?;
                call.captures = self.until("]", Self::name)?;
            }
            _ => {
                if call.attributes.len() == MAX_ATTRIBUTES {
                    let message = message!("more than {} attributes", MAX_ATTRIBUTES);
                    return Err(limit(self.line, column, message));
                }
                let given = call.attributes.iter().any(|(name, _)| *name == text);
                let reserved = matches!(text.as_str(), "name" | "stream" | "captures");
                if given || reserved && !quoted {
                    let message = message!("attribute \"{}\" is given twice", text);
                    return Err(fault(self.line, column, message));
                }
                let value = self.value()?;
                call.attributes.push((text, value));
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Read<Value<'t>> {
        if self.takes("@") {
            return Ok(Value::Tensor(self.name()?));
        }
        let next = self.tokens.get(self.at + 1).map(|it| &it.kind);
        match self.peek().map(|it| &it.kind) {
            Some(TokenKind::Sign("["))
                if matches!(next, Some(TokenKind::Word | TokenKind::Quoted(_))) =>
            {
                self.at += 1;
                Ok(Value::Texts(
                    self.until("]", |it| it.text(|| message!("a text")))?,
                ))
            }
            Some(TokenKind::Number | TokenKind::Sign("[")) => Ok(Value::Numbers(self.literal()?)),
            Some(TokenKind::Word) if matches!(next, Some(TokenKind::Sign("[" | "("))) => {
                self.special()
            }
            _ => {
                let text = self.text(|| message!("a value: numbers, a text or `@` and a name"))?;
                Ok(Value::Text(text))
            }
        }
    }

    /// What has no numbers or texts to say what it is.
    fn special(&mut self) -> Read<Value<'t>> {
        let value = match self.peek().map(|it| it.text) {
            Some("floats") => Value::Floats,
            Some("texts") => Value::Texts(Vec::new()),
            Some("subgraph") => {
                self.at += 1;
                self.needs("(")?;
                let ops = self.whole(NUMBER)?;
                self.needs(")")?;
                return Ok(Value::Subgraph(ops));
            }
            _ => return Err(self.expected(message!("`floats[]`, `texts[]` or `subgraph(1)`"))),
        };
        self.at += 1;
        self.needs("[")?;
        self.needs("]")?;
        Ok(value)
    }
}
