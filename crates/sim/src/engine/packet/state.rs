//! State that moves with its node from partition to partition: where a field is declared, it is said how it moves.
//!
//! Between two instants of a run the state of all partitions is merged, as if there were one, and split among others.
//! Each field has a [`Rule`] that does both. So a new field of [`state!`] is one line.

use super::LinkTotals;
use super::containers::{PerFlow, PerLink, merge, split, split_map};
use std::collections::BTreeMap;

/// Who has what: the partition of each flow's ends, of each agent, port, fibre and path.
pub trait Owners {
    /// How many partitions there are.
    fn parts(&self) -> u32;
    /// The time that all have reached.
    fn now(&self) -> u64;
    /// That of a flow's sending side.
    fn source_of(&self, flow: u32) -> u32;
    /// That of its receiving side.
    fn sink_of(&self, flow: u32) -> u32;
    /// That of an agent.
    fn agent_of(&self, agent: u32) -> u32;
    /// That of a link's port.
    fn port_of(&self, link: u32) -> u32;
    /// That of a link's fibre.
    fn fibre_of(&self, link: u32) -> u32;
    /// That in which the path at this position begins.
    fn path_of(&self, path: u32) -> u32;
}

/// How a field moves.
pub trait Rule<T> {
    /// Of the whole network; the partitions of `before` had these.
    fn merge(parts: Vec<T>, before: &dyn Owners) -> T;

    /// Handed out to the partitions of `after`.
    fn split(all: T, after: &dyn Owners) -> Vec<T>;
}

/// What is declared with [`state!`].
pub trait State: Sized {
    /// What several partitions have, as if they were one.
    fn merge(parts: Vec<Self>, before: &dyn Owners) -> Self;

    /// What is handed out to each partition.
    fn split(self, after: &dyn Owners) -> Vec<Self>;
}

/// Declares a struct of which each field is `name: Type, Rule;`, and its `merge` and `split`.
macro_rules! state {
    (
        $(#[$about:meta])*
        pub struct $Name:ident {
            $($(#[$doc:meta])* $visible:vis $field:ident: $Type:ty, $Rule:ty;)*
        }
    ) => {
        $(#[$about])*
        pub struct $Name {
            $($(#[$doc])* $visible $field: $Type,)*
        }

        impl $crate::engine::packet::state::State for $Name {
            fn merge(parts: Vec<$Name>, before: &dyn $crate::engine::packet::state::Owners) -> $Name {
                $(let mut $field: Vec<$Type> = Vec::with_capacity(parts.len());)*
                for part in parts {
                    $($field.push(part.$field);)*
                }
                $Name { $($field: <$Rule as $crate::engine::packet::state::Rule<$Type>>::merge($field, before),)* }
            }

            fn split(self, after: &dyn $crate::engine::packet::state::Owners) -> Vec<$Name> {
                $(
                    let all = <$Rule as $crate::engine::packet::state::Rule<$Type>>::split(self.$field, after);
                    let mut $field = all.into_iter();
                )*
                let part = |_| $Name { $($field: $field.next().expect("each rule gives every partition its part"),)* };
                (0..after.parts()).map(part).collect()
            }
        }
    };
}

pub(crate) use state;

/// By the rules of its own fields.
#[derive(Debug)]
pub struct ByField;
/// A count, of which only the sum over all partitions is ever read: the first partition gets it.
#[derive(Debug)]
pub struct Summed;
/// All partitions have the same.
#[derive(Debug)]
pub struct Same;
/// The greatest of any partition, which all get.
#[derive(Debug)]
pub struct Greatest;
/// Empty between two instants, or made anew from the layout.
#[derive(Debug)]
pub struct Anew;

/// A rule by the number of a flow, an agent, a link or a path.
pub trait ByNumber {
    /// The partition of the one with that number.
    fn owner(owners: &dyn Owners, number: u32) -> u32;
}

/// Declares rules by number.
macro_rules! by_number {
    ($($(#[$about:meta])* $Rule:ident: $owner:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub struct $Rule;

        impl ByNumber for $Rule {
            fn owner(owners: &dyn Owners, number: u32) -> u32 {
                owners.$owner(number)
            }
        }
    )*};
}

by_number! {
    /// With a flow's sending side.
    BySource: source_of;
    /// With a flow's receiving side.
    BySink: sink_of;
    /// With an agent of the switches.
    ByAgent: agent_of;
    /// With a link's port.
    ByPort: port_of;
    /// With a link's fibre.
    ByFibre: fibre_of;
    /// With the first port of a path.
    ByPath: path_of;
}

impl<R: ByNumber, T> Rule<PerFlow<T>> for R {
    fn merge(parts: Vec<PerFlow<T>>, before: &dyn Owners) -> PerFlow<T> {
        PerFlow::merge(parts, |number| R::owner(before, number))
    }

    fn split(all: PerFlow<T>, after: &dyn Owners) -> Vec<PerFlow<T>> {
        all.split(after.parts(), |number| R::owner(after, number))
    }
}

impl<R: ByNumber, T> Rule<PerLink<T>> for R {
    fn merge(parts: Vec<PerLink<T>>, before: &dyn Owners) -> PerLink<T> {
        merge(parts, |number| R::owner(before, number))
    }

    fn split(all: PerLink<T>, after: &dyn Owners) -> Vec<PerLink<T>> {
        split(all, after.parts(), |number| R::owner(after, number))
    }
}

/// A key of a map with the number by which its entry moves.
pub trait Numbered: Ord {
    /// That number.
    fn number(&self) -> u32;
}

impl Numbered for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

/// A flow, and something of it.
impl Numbered for (u32, u64, u64) {
    fn number(&self) -> u32 {
        self.0
    }
}

/// A flow and a path.
impl Numbered for (u32, u32) {
    fn number(&self) -> u32 {
        self.1
    }
}

impl<R: ByNumber, K: Numbered, T> Rule<BTreeMap<K, T>> for R {
    fn merge(parts: Vec<BTreeMap<K, T>>, _: &dyn Owners) -> BTreeMap<K, T> {
        parts.into_iter().flatten().collect()
    }

    fn split(all: BTreeMap<K, T>, after: &dyn Owners) -> Vec<BTreeMap<K, T>> {
        split_map(all, after.parts(), |key| R::owner(after, key.number()))
    }
}

impl<T: State> Rule<T> for ByField {
    fn merge(parts: Vec<T>, before: &dyn Owners) -> T {
        T::merge(parts, before)
    }

    fn split(all: T, after: &dyn Owners) -> Vec<T> {
        all.split(after)
    }
}

impl Rule<u64> for Summed {
    fn merge(parts: Vec<u64>, _: &dyn Owners) -> u64 {
        parts.into_iter().sum()
    }

    fn split(all: u64, after: &dyn Owners) -> Vec<u64> {
        first_of(all, after.parts())
    }
}

/// Counts by whatever it is.
impl<K: Ord> Rule<BTreeMap<K, u64>> for Summed {
    fn merge(parts: Vec<BTreeMap<K, u64>>, _: &dyn Owners) -> BTreeMap<K, u64> {
        let mut sum = BTreeMap::new();
        parts.into_iter().flatten().for_each(|(key, count)| *sum.entry(key).or_default() += count);
        sum
    }

    fn split(all: BTreeMap<K, u64>, after: &dyn Owners) -> Vec<BTreeMap<K, u64>> {
        first_of(all, after.parts())
    }
}

impl Rule<LinkTotals> for Summed {
    fn merge(parts: Vec<LinkTotals>, _: &dyn Owners) -> LinkTotals {
        let mut sum = LinkTotals::default();
        parts.iter().for_each(|part| sum.add(part));
        sum
    }

    fn split(all: LinkTotals, after: &dyn Owners) -> Vec<LinkTotals> {
        first_of(all, after.parts())
    }
}

fn first_of<T: Default>(all: T, parts: u32) -> Vec<T> {
    std::iter::once(all).chain((1..parts).map(|_| T::default())).collect()
}

impl<T: Clone> Rule<T> for Same {
    fn merge(mut parts: Vec<T>, _: &dyn Owners) -> T {
        parts.swap_remove(0)
    }

    fn split(all: T, after: &dyn Owners) -> Vec<T> {
        vec![all; after.parts() as usize]
    }
}

impl Rule<u64> for Greatest {
    fn merge(parts: Vec<u64>, _: &dyn Owners) -> u64 {
        parts.into_iter().max().unwrap_or(0)
    }

    fn split(all: u64, after: &dyn Owners) -> Vec<u64> {
        vec![all; after.parts() as usize]
    }
}

impl<T: Default> Rule<T> for Anew {
    fn merge(_: Vec<T>, _: &dyn Owners) -> T {
        T::default()
    }

    fn split(_: T, after: &dyn Owners) -> Vec<T> {
        (0..after.parts()).map(|_| T::default()).collect()
    }
}
