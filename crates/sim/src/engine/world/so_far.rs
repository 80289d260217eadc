//! A run that is looked at while it goes on.

use super::World;
use crate::engine::execute::layout::Partitions;
use std::sync::Arc;

impl World {
    /// Lets `read` see the world as it is now; the run goes on afterwards.
    pub fn read_so_far<T>(&mut self, read: impl FnOnce(&mut World, &mut Partitions) -> T) -> T {
        let (layout, mut partitions) = (Arc::clone(&self.layout), std::mem::take(&mut self.partitions));
        let found = read(self, &mut Partitions::new(&layout, &mut partitions));
        self.partitions = partitions;
        found
    }
}
