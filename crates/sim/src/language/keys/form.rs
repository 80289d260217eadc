//! Values as a scenario has them.

use super::Explained;
use crate::language::{
    At, ByteCount, CdfPoint, Choice, Fault, FlowSize, Length, Names, PairsSpec, PortRoom, Raw, Room, Size, Speed, Time,
    Word, quote,
};
use options::Words;
use units::{BufferSize, Bytes, PortBuffer};

/// A value as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    /// On its line.
    Inline(String),
    /// A table.
    Table(Explained),
    /// A list of tables.
    Tables(Vec<Explained>),
}

impl Written {
    /// On one line.
    pub fn inline(&self) -> String {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
        match self {
            Written::Inline(text) => text.clone(),
            Written::Table(table) => table.inline(),
            Written::Tables(tables) => list(tables.iter().map(Explained::inline).collect()),
        }
    }
}

/// A type whose values can be written as a scenario has them.
pub(crate) trait Form {
    /// The value as it is written.
    fn form(&self) -> Written;

    /// Checks the keys in it, if it has some, each by itself.
    fn check_keys(&self) -> Result<(), Fault> {
        Ok(())
    }
}

macro_rules! forms {
    ($($type:ty, $value:ident => $text:expr;)+) => {$(
        impl Form for $type {
            fn form(&self) -> Written {
                let $value = self;
                Written::Inline($text)
            }
        }
    )+};
}

forms! {
    bool, flag => flag.to_string();
    u8, number => number.to_string();
    u32, number => number.to_string();
    u64, number => number.to_string();
    f64, number => format!("{number:?}");
    String, text => quote(text);
    Raw, raw => raw.0.clone();
    Time, time => format!("\"{}\"", time.0);
    Speed, speed => format!("\"{}\"", speed.0);
    Size, size => format!("\"{}\"", size.0);
    ByteCount, count => format!("\"{} B\"", count.0);
    Room, room => format!("\"{}\"", match room.0 {
        BufferSize::Packets(packets) => format!("{packets} packets"),
        BufferSize::Bytes(bytes) => bytes.to_string(),
        BufferSize::Time(span) => span.to_string(),
        BufferSize::Unlimited => "unlimited".to_owned(),
    });
    PortRoom, room => match room.0 {
        PortBuffer::Size(size) => Room(size).form().inline(),
        PortBuffer::Products(products) => format!("\"{products}\""),
    };
    CdfPoint, point => format!("[{}, {:?}]", point.bytes, point.probability);
    Length, length => format!("\"{} m\"", length.0.metres);
    FlowSize, size => match size {
        FlowSize::Greedy => "\"greedy\"".to_owned(),
        FlowSize::Bytes(bytes) => format!("\"{}\"", Bytes(*bytes)),
    };
    Names, names => match names {
        Names::One(name) => quote(name),
        Names::Many(names) => names.form().inline(),
    };
    (String, String), pair => format!("[{}, {}]", quote(&pair.0), quote(&pair.1));
    PairsSpec, pairs => match pairs {
        PairsSpec::Random => "\"random\"".to_owned(),
        PairsSpec::All => "\"all\"".to_owned(),
        PairsSpec::Permutation => "\"permutation\"".to_owned(),
        PairsSpec::List(pairs) => pairs.form().inline(),
    };
}

impl<T: Form> Form for Choice<T> {
    fn form(&self) -> Written {
        match self {
            Choice::All => Written::Inline("\"all\"".to_owned()),
            Choice::Some(some) => some.form(),
        }
    }
}

impl<T: Words> Form for Word<T> {
    fn form(&self) -> Written {
        Written::Inline(format!("\"{}\"", self.word()))
    }
}

impl<T: Form> Form for Vec<At<T>> {
    fn form(&self) -> Written {
        let (mut tables, mut others) = (Vec::new(), Vec::new());
        for item in self {
            match item.form() {
                Written::Table(table) => tables.push(table),
                other => others.push(other.inline()),
            }
        }
        if others.is_empty() { Written::Tables(tables) } else { Written::Inline(format!("[{}]", others.join(", "))) }
    }

    fn check_keys(&self) -> Result<(), Fault> {
        self.iter().try_for_each(|item| item.check_keys())
    }
}
