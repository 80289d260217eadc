//! The nearest valid name to what a user wrote.

/// What users of other tools call things. The right column is suggested if it is allowed where the left one was found.
const SYNONYMS: &[(&str, &str)] = &[
    ("bandwidth", "capacity"),
    ("bottleneck_bandwidth", "bottleneck_capacity"),
    ("data_rate", "capacity"),
    ("datarate", "capacity"),
    ("rate", "capacity"),
    ("latency", "delay"),
    ("distance", "length"),
    ("queue", "buffer"),
    ("queue_size", "buffer"),
    ("queue_limit", "buffer"),
    ("error_rate", "loss"),
    ("src", "from"),
    ("source", "from"),
    ("dst", "to"),
    ("dest", "to"),
    ("destination", "to"),
    ("protocol", "transport"),
    ("type", "kind"),
    ("law", "kind"),
    ("kind", "law"),
    ("cc", "algorithm"),
    ("variant", "algorithm"),
    ("congestion_control", "algorithm"),
    ("segment_size", "mss"),
    ("window", "max_window"),
    ("initial_cwnd", "initial_window"),
    ("time", "at"),
    ("end", "until"),
    ("sim_time", "duration"),
    ("simulation_time", "duration"),
    ("warmup", "warm_up"),
    ("replications", "runs"),
    ("tcp", "newreno"),
];

/// The one of `names` that is nearest to `found`: by a known synonym, else by edit distance (at most a third of the
/// letters, or one begins like the other), the first of equals.
pub fn nearest<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters = found.chars().count();
    let lower = found.to_lowercase();
    let known = |name: &str| SYNONYMS.iter().any(|(other, ours)| *other == lower && *ours == name);
    least(found, names, |name, distance| match distance {
        _ if known(name) => Some(0),
        _ if letters >= 3 && (name.starts_with(&lower) || name.len() >= 3 && lower.starts_with(name)) => Some(distance),
        _ => Some(distance).filter(|distance| *distance <= (letters / 3).max(1)),
    })
}

/// The unit that is nearest to `found`: units are short, so two letters may differ, but not all of them.
pub(crate) fn nearest_unit<'n>(found: &str, units: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = found.chars().count().saturating_sub(1).min(2);
    least(found, units, |_, distance| Some(distance).filter(|distance| *distance <= limit))
}

/// The name with the least rating; an absent rating is too far.
fn least<'n>(
    found: &str,
    names: impl IntoIterator<Item = &'n str>,
    rating: impl Fn(&str, usize) -> Option<usize>,
) -> Option<&'n str> {
    // Nobody misspells that much, and the message must not take longer than the run.
    const MAX_LETTERS: usize = 64;
    const MAX_NAMES: usize = 20_000;
    if found.chars().count() > MAX_LETTERS {
        return None;
    }
    let lower = found.to_lowercase();
    let rate = |name: &'n str| Some((rating(name, edit_distance(&lower, &name.to_lowercase()))?, name));
    names.into_iter().take(MAX_NAMES).filter_map(rate).min_by_key(|(rating, _)| *rating).map(|(_, name)| name)
}

/// The tail of a message: the suggestion, if any, and all that is allowed (long lists are cut).
pub(crate) fn choices(found: &str, names: &[&str]) -> String {
    let suggestion = match nearest(found, names.iter().copied()) {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => ";".to_owned(),
    };
    format!("{suggestion} allowed: {}", enumerate(names))
}

/// The names with commas between them, at most 24.
pub(crate) fn enumerate(names: &[&str]) -> String {
    const SHOWN: usize = 24;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().take(128).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_optimal_string_alignment() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("durration", "duration"), 1);
        assert_eq!(edit_distance("capactiy", "capacity"), 1);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("capcity", ["buffer", "capacity"]), Some("capacity"));
        assert_eq!(nearest("bandwidth", ["buffer", "capacity"]), Some("capacity"));
        assert_eq!(nearest("wavelength", ["buffer", "capacity"]), None);
        assert_eq!(nearest("Delay", ["delay"]), Some("delay"));
        assert_eq!(nearest("size", ["start", "size_bytes"]), Some("size_bytes"));
    }

    #[test]
    fn a_unit_may_differ_in_two_letters() {
        assert_eq!(nearest_unit("Mbit", ["kbps", "Mbps", "Mb/s"]), Some("Mbps"));
        assert_eq!(nearest_unit("msec", ["ps", "ms", "s"]), Some("ms"));
        assert_eq!(nearest_unit("x", ["s"]), None);
    }
}
