//! A model: its description, and one evaluation at one point or at many.

use crate::{Error, Input, Name, Value};
use std::ops::Range;

/// A closed-form model.
#[derive(Debug)]
pub struct Model {
    /// Its line in the registry.
    pub name: Name,
    /// Where it holds, in one sentence.
    pub holds: &'static str,
    /// What it takes, in order.
    pub inputs: &'static [Input],
    /// What it gives, in order.
    pub outputs: &'static [Output],
    /// The computation, with one value for each input, in their order.
    pub(crate) run: fn(&[Value]) -> Result<Vec<Answer>, Error>,
}

/// An output of a model.
#[derive(Debug)]
pub struct Output {
    /// Its name, with its unit unless it is a ratio.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it is, in one sentence.
    pub meaning: &'static str,
}

/// The value of an output.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A number.
    Number(f64),
    /// A column of a table: one number per link, per instant, …
    Column(Vec<f64>),
}

impl Answer {
    fn numbers(&self) -> &[f64] {
        match self {
            Answer::Number(number) => std::slice::from_ref(number),
            Answer::Column(column) => column,
        }
    }
}

/// A type that an output can have in a model's own struct.
pub trait IntoAnswer {
    /// As an answer.
    fn into_answer(self) -> Answer;
}

impl IntoAnswer for f64 {
    fn into_answer(self) -> Answer {
        Answer::Number(self)
    }
}

impl IntoAnswer for Vec<f64> {
    fn into_answer(self) -> Answer {
        Answer::Column(self)
    }
}

/// The answers to one output at many points.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The length of the column at each point; none for a number.
    pub width: Option<usize>,
    /// Point by point.
    pub values: Vec<f64>,
}

/// Why there is no answer at one of many points.
#[derive(Clone, Debug, PartialEq)]
pub struct PointError {
    /// Which point, from 0.
    pub point: usize,
    /// What is wrong there.
    pub error: Error,
}

/// Values for the inputs of a model: those that are the same everywhere, and numbers that vary from point to point.
#[derive(Clone, Debug)]
pub struct Arguments<'a> {
    model: &'static Model,
    values: Vec<Value>,
    varying: Vec<(usize, &'a [f64])>,
}

impl Model {
    /// The input of that name and its place.
    pub fn input(&'static self, name: &str) -> Result<(usize, &'static Input), Error> {
        let place = self.inputs.iter().position(|input| input.name == name).ok_or_else(|| Error::UnknownInput {
            model: self.name.name(),
            name: name.to_owned(),
            allowed: self.inputs.iter().map(|input| input.name).collect(),
        })?;
        Ok((place, &self.inputs[place]))
    }

    /// The defaults of all inputs.
    pub fn arguments<'a>(&'static self) -> Arguments<'a> {
        let values = self.inputs.iter().map(Input::default).collect();
        Arguments { model: self, values, varying: Vec::new() }
    }

    /// The answers to one value for each input.
    pub fn evaluate(&self, values: &[Value]) -> Result<Vec<Answer>, Error> {
        assert_eq!(values.len(), self.inputs.len(), "one value for each input");
        self.inputs.iter().zip(values).try_for_each(|(input, value)| input.check(value))?;
        let answers = (self.run)(values)?;
        let finite = |answer: &Answer| answer.numbers().iter().all(|number| number.is_finite());
        match self.outputs.iter().zip(&answers).find(|(_, answer)| !finite(answer)) {
            Some((output, _)) => Err(Error::NotFinite { output: output.name }),
            None => Ok(answers),
        }
    }
}

impl<'a> Arguments<'a> {
    /// Gives an input a value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Error> {
        let (place, _) = self.model.input(name)?;
        self.values[place] = value;
        Ok(())
    }

    /// Gives an input the value that a text says.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let (place, input) = self.model.input(name)?;
        self.values[place] = input.read(text)?;
        Ok(())
    }

    /// Gives an input a number for each point; all inputs that vary have equally many.
    pub fn vary(&mut self, name: &str, numbers: &'a [f64]) -> Result<(), Error> {
        let (place, input) = self.model.input(name)?;
        if !self.varying.is_empty() && numbers.len() != self.points() {
            let why = format!("numbers, where another input has {}", self.points());
            return Err(Error::Impossible { input: input.name, value: numbers.len() as f64, why });
        }
        self.varying.push((place, numbers));
        Ok(())
    }

    /// The value of every input; of one that varies, its last.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// How many points there are: as many as numbers of an input that varies, else one.
    pub fn points(&self) -> usize {
        self.varying.first().map_or(1, |(_, numbers)| numbers.len())
    }

    /// The answers at all points.
    pub fn evaluate(&mut self) -> Result<Vec<Answers>, PointError> {
        let mut all = Vec::new();
        self.evaluate_some(0..self.points(), &mut all)?;
        Ok(all)
    }

    /// Appends the answers at some points, so that a caller can look up between them.
    pub fn evaluate_some(&mut self, points: Range<usize>, all: &mut Vec<Answers>) -> Result<(), PointError> {
        for point in points {
            for (place, numbers) in &self.varying {
                self.values[*place] = Value::Number(numbers[point]);
            }
            let answers = self.model.evaluate(&self.values).map_err(|error| PointError { point, error })?;
            if all.is_empty() {
                *all = answers.iter().map(|answer| room_for(answer, self.points())).collect();
            }
            self.append(answers, all).map_err(|error| PointError { point, error })?;
        }
        Ok(())
    }

    fn append(&self, answers: Vec<Answer>, all: &mut [Answers]) -> Result<(), Error> {
        for ((answers, answer), output) in all.iter_mut().zip(&answers).zip(self.model.outputs) {
            if answers.width.is_some_and(|width| width != answer.numbers().len()) {
                return Err(Error::Ragged { output: output.name });
            }
            answers.values.extend_from_slice(answer.numbers());
        }
        Ok(())
    }
}

fn room_for(answer: &Answer, points: usize) -> Answers {
    let (width, size) = match answer {
        Answer::Number(_) => (None, points),
        Answer::Column(column) => (Some(column.len()), column.len() * points),
    };
    Answers { width, values: Vec::with_capacity(size) }
}
