//! `size_law`: the law that the size of each flow is drawn from.

use super::Context;
use crate::language::{At, Fault, Place, quoted, read_text};
use crate::model::{Cdf, FlowSizes, pareto_least};
use crate::scenario::ImportedSizes;
use crate::scenario::spec::{FlowSizeLaw, SizeCdf, SizeLognormal, SizePareto, SizeWeibull};
use std::path::Path;
use std::sync::Arc;
use units::{Bytes, Field, Rows, Separator};

/// The largest file of points.
const MAX_BYTES: u64 = 16 << 20;

/// The law.
pub(super) fn resolve(law: &At<FlowSizeLaw>, context: &mut Context) -> Result<FlowSizes, Fault> {
    if let Some(table) = law.published() {
        return Ok(FlowSizes::Empirical(Arc::new(table.cdf())));
    }
    match &**law {
        FlowSizeLaw::Exponential(table) => Ok(FlowSizes::Exponential { mean: table.mean.0.count() as f64 }),
        FlowSizeLaw::Pareto(table) => pareto(law, table),
        FlowSizeLaw::Weibull(table) => weibull(law, table),
        FlowSizeLaw::Lognormal(table) => lognormal(law, table),
        FlowSizeLaw::Cdf(table) => cdf(law, table, context).map(|cdf| FlowSizes::Empirical(Arc::new(cdf))),
        _ => unreachable!("a law without keys is a published one"),
    }
}

fn pareto(law: &At<FlowSizeLaw>, table: &SizePareto) -> Result<FlowSizes, Fault> {
    let shape = *table.shape;
    let most = table.most.map_or(f64::INFINITY, |most| most.0.count() as f64);
    let least = match (table.mean, table.least) {
        (Some(_), Some(least)) => return Err(least.fault("there is a mean already; allowed: mean or least")),
        (None, None) => return Err(law.fault("the key \"mean\" (or \"least\") is missing")),
        (None, Some(least)) if least.0.count() as f64 >= most => {
            return Err(least.fault(format!("found \"{}\"; allowed: less than most", least.0)));
        }
        (None, Some(least)) => least.0.count() as f64,
        (Some(mean), None) => pareto_least(mean.0.count() as f64, shape, most).ok_or_else(|| match table.most {
            Some(most) => mean.fault(format!("found \"{}\"; allowed: less than most, \"{}\"", mean.0, most.0)),
            None => {
                let message = format!(
                    "a shape of {shape:?} has no mean; allowed: more than 1, or the key most, or least instead of mean"
                );
                table.shape.fault(message)
            }
        })?,
    };
    Ok(FlowSizes::Pareto { least, shape, most })
}

fn weibull(law: &At<FlowSizeLaw>, table: &SizeWeibull) -> Result<FlowSizes, Fault> {
    let shape = *table.shape;
    let scale = match (table.mean, table.scale) {
        (Some(_), Some(scale)) => return Err(scale.fault("there is a mean already; allowed: mean or scale")),
        (None, None) => return Err(law.fault("the key \"mean\" (or \"scale\") is missing")),
        (None, Some(scale)) => scale.0.count() as f64,
        (Some(mean), None) => mean.0.count() as f64 / libm::tgamma(1.0 + 1.0 / shape),
    };
    Ok(FlowSizes::Weibull { scale, shape })
}

fn lognormal(law: &At<FlowSizeLaw>, table: &SizeLognormal) -> Result<FlowSizes, Fault> {
    let sigma = *table.sigma;
    let median = match (table.mean, table.median) {
        (Some(_), Some(median)) => return Err(median.fault("there is a mean already; allowed: mean or median")),
        (None, None) => return Err(law.fault("the key \"mean\" (or \"median\") is missing")),
        (None, Some(median)) => median.0.count() as f64,
        (Some(mean), None) => mean.0.count() as f64 / libm::exp(sigma * sigma / 2.0),
    };
    Ok(FlowSizes::Lognormal { median, sigma })
}

fn cdf(law: &At<FlowSizeLaw>, table: &SizeCdf, context: &mut Context) -> Result<Cdf, Fault> {
    let between = table.between.0;
    let (points, places): Points = match (&table.points, &table.file) {
        (Some(_), Some(file)) => return Err(file.fault("there are points already; allowed: points or file")),
        (None, None) => return Err(law.fault("the key \"points\" (or \"file\") is missing")),
        (Some(points), None) if points.is_empty() => {
            return Err(points.fault("found an empty list; allowed: one point or more"));
        }
        (Some(points), None) => points.iter().map(|at| ((at.bytes as f64, at.probability), at.place())).unzip(),
        (None, Some(file)) => read(file, table.size_unit.map(|unit| unit.0), context)?,
    };
    Cdf::new(points, between).map_err(|wrong| Fault::new(places[wrong.point].clone(), wrong.message))
}

/// Sizes with their probabilities, and the place of each.
type Points = (Vec<(f64, f64)>, Vec<Place>);

/// The points of a file: in the form of the key, else in one of others. With a unit sizes need not be whole.
fn read(file: &At<String>, unit: Option<Bytes>, context: &mut Context) -> Result<Points, Fault> {
    let own = own(file);
    let is_own = own.as_ref().is_ok_and(|(points, _)| points.iter().all(|(_, probability)| *probability <= 1.0));
    match context.files {
        Some(files) if !is_own => {
            let ImportedSizes { points, warnings } = files.sizes(file, unit).map_err(|why| why.fault(file))?;
            context.warnings.extend(warnings.iter().map(|warning| format!("{}: {warning}", **file)));
            let places = points.iter().map(|_| file.place()).collect();
            Ok((points, places))
        }
        _ => {
            let (points, places) = own?;
            let each = unit.map_or(1.0, |unit| unit.count() as f64);
            Ok((points.into_iter().map(|(size, probability)| (size * each, probability)).collect(), places))
        }
    }
}

/// The points of a file, at least one, each with its place.
fn own(file: &At<String>) -> Result<Points, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES)
        .map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
    let place = |line, column| Place::Data { node: file.node(), file: file.to_string(), line, column };
    let (mut rows, mut fields) = (Rows::new(&text, Separator::CommaOrBlanks), Vec::new());
    let (mut points, mut places) = (Vec::new(), Vec::new());
    while rows.read(&mut fields).map_err(|why| Fault::new(place(why.line, why.column), why.reason))? {
        let line = fields[0].line;
        fields.retain(|field| !field.text.is_empty());
        if fields.first().is_none_or(|first| first.text.starts_with(char::is_alphabetic)) {
            continue;
        }
        points.push(point(&fields).ok_or_else(|| {
            let found = fields.iter().map(|field| &*field.text).collect::<Vec<_>>().join(" ");
            let message = format!("found {}; allowed: a whole number of bytes and a probability", quoted(&found));
            Fault::new(place(line, 1), message)
        })?);
        places.push(place(line, 1));
    }
    if points.is_empty() {
        return Err(file.fault(format!("found {}, which has no points", quoted(file))));
    }
    Ok((points, places))
}

/// A size and a probability.
fn point(fields: &[Field]) -> Option<(f64, f64)> {
    let [size, probability] = fields else { return None };
    let (size, probability) = (size.text.parse::<f64>().ok()?, probability.text.parse().ok()?);
    (size.fract() == 0.0).then_some((size, probability))
}
