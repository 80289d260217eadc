//! Whatever is asked, an answer is finite or an error says why not: over all models, all edges of all ranges and
//! beyond.

use analytic::{Input, Kind, Range, Value, models};
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;

/// Edges of the range, what lies outside, and numbers in it: evenly spread, and crowded at either end.
fn number(range: Range) -> BoxedStrategy<f64> {
    let Range { low, high, whole, .. } = range;
    let settled = move |value: f64| if whole { value.round() } else { value };
    let crowded = move |share: f64| low + (high - low) * 10f64.powf(-12.0 * share);
    prop_oneof![
        4 => (0.0..1.0f64).prop_map(move |share| settled(low + (high - low) * share)),
        6 => (0.0..1.0f64).prop_map(move |share| settled(crowded(share))),
        2 => (0.0..1.0f64).prop_map(move |share| settled(high + low - crowded(share))),
        1 => Just(low),
        1 => Just(high),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, -f64::INFINITY, -1.0, 0.0, 0.5, 1.0, 1e300, 5e-324]),
    ]
    .boxed()
}

fn value(input: &'static Input) -> BoxedStrategy<Value> {
    let given = match &input.kind {
        Kind::Number { range, .. } => number(*range).prop_map(Value::Number).boxed(),
        Kind::Choice(choices) => (0..choices.len()).prop_map(Value::Choice).boxed(),
        Kind::Row { range, .. } => {
            prop::collection::vec(few(*range), 0..5).prop_map(|row| Value::Row(row.into())).boxed()
        }
        Kind::Rows { .. } => {
            let row = prop::collection::vec((0..4).prop_map(f64::from), 0..4);
            prop::collection::vec(row, 0..5).prop_map(|rows| Value::Rows(rows.into())).boxed()
        }
    };
    prop_oneof![3 => Just(input.default()), 5 => given].boxed()
}

/// Numbers of lists, small enough that an iteration over them stays quick.
fn few(range: Range) -> BoxedStrategy<f64> {
    prop_oneof![8 => (0..20).prop_map(f64::from), 1 => Just(range.low), 1 => Just(f64::NAN)].boxed()
}

fn question() -> impl Strategy<Value = (usize, Vec<Value>)> {
    (0..models().len()).prop_flat_map(|place| {
        let values: Vec<_> = models()[place].item.inputs.iter().map(value).collect();
        (Just(place), values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_finite_or_an_error_of_one_line((place, values) in question()) {
        let (name, model) = (models()[place].name, models()[place].item);
        match model.evaluate(&values) {
            Ok(answers) => prop_assert_eq!(answers.len(), model.outputs.len()),
            Err(error) => {
                let message = error.to_string();
                prop_assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message} {values:?}");
            }
        }
    }

    #[test]
    fn every_text_is_a_value_or_an_error(text in "\\PC{0,12}") {
        for model in models().iter().map(|entry| entry.item) {
            for input in model.inputs {
                if let Ok(value) = input.read(&text) {
                    let _ = input.check(&value);
                }
            }
        }
    }
}

#[test]
fn every_input_and_output_is_described() {
    for entry in models() {
        let (name, model) = (entry.name, entry.item);
        for text in [entry.summary, entry.source, model.holds] {
            assert!(!text.is_empty(), "{name}");
        }
        assert!(entry.summary.ends_with('.') && model.holds.ends_with('.'), "{name}: sentences end");
        for input in model.inputs {
            assert!(input.meaning.ends_with('.'), "{name}: {}", input.name);
            assert_eq!(input.check(&input.default()), Ok(()), "{name}: the default of {}", input.name);
        }
        for output in model.outputs {
            assert!(output.meaning.ends_with('.') && !output.unit.is_empty(), "{name}: {}", output.name);
        }
    }
}
