//! How a model's file says what it takes and gives: one declaration makes the description that every face shows and the
//! structs that the file computes with.

/// Declares `MODEL`, `Inputs`, `Outputs` and `evaluate`; the file adds `fn compute(&Inputs) -> Result<Outputs, Error>`.
// Over 40 lines: a model is declared once, and its inputs, outputs and table follow from that.
macro_rules! model {
    (
        name: $name:ident,
        holds: $holds:literal,
        inputs { $($input:ident: $input_type:ty = $kind:expr, $input_meaning:literal;)+ }
        outputs { $($output:ident: $output_type:ty [$unit:literal], $output_meaning:literal;)+ }
    ) => {
        /// The declaration.
        pub static MODEL: $crate::Model = $crate::Model {
            name: $crate::Name::$name,
            holds: $holds,
            inputs: &[$($crate::Input { name: stringify!($input), meaning: $input_meaning, kind: $kind }),+],
            outputs: &[
                $($crate::Output { name: stringify!($output), unit: $unit, meaning: $output_meaning }),+
            ],
            run,
        };

        /// What the model takes.
        #[derive(Clone, Debug)]
        pub struct Inputs { $(#[doc = $input_meaning] pub $input: $input_type),+ }

        /// What the model gives.
        #[derive(Clone, Debug)]
        pub struct Outputs { $(#[doc = $output_meaning] pub $output: $output_type),+ }

        impl Default for Inputs {
            fn default() -> Inputs {
                Inputs::from_values(MODEL.arguments().values())
            }
        }

        impl Inputs {
            fn from_values(values: &[$crate::Value]) -> Inputs {
                let mut values = values.iter();
                Inputs {
                    $($input: $crate::Argument::from_value(values.next().expect("one value for each input"))),+
                }
            }
        }

        /// The answer, or which input is wrong and why.
        pub fn evaluate(inputs: &Inputs) -> Result<Outputs, $crate::Error> {
            let values = [$($crate::Argument::to_value(&inputs.$input)),+];
            MODEL.inputs.iter().zip(&values).try_for_each(|(input, value)| input.check(value))?;
            compute(inputs)
        }

        fn run(values: &[$crate::Value]) -> Result<Vec<$crate::Answer>, $crate::Error> {
            let outputs = compute(&Inputs::from_values(values))?;
            Ok(vec![$($crate::IntoAnswer::into_answer(outputs.$output)),+])
        }
    };
}

/// Declares an enum of words that an input can be; the first is the default.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal, $meaning:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = $meaning] $variant),+ }

        impl $name {
            const ALL: &[$name] = &[$($name::$variant),+];
            /// What an input of this type can be.
            pub const KIND: $crate::Kind =
                $crate::Kind::Choice(&[$($crate::Choice { name: $word, meaning: $meaning }),+]);
        }

        impl $crate::Argument for $name {
            fn from_value(value: &$crate::Value) -> $name {
                match value {
                    $crate::Value::Choice(place) => $name::ALL[*place],
                    _ => $name::ALL[0],
                }
            }

            fn to_value(&self) -> $crate::Value {
                $crate::Value::Choice(*self as usize)
            }
        }
    };
}

pub(crate) use {choice, model};
