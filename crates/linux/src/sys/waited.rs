//! How long a thread waited for a processor: `run_delay` of the kernel's scheduler.

use super::time::Nanos;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Three numbers of at most 20 digits.
const LONGEST: usize = 64;

/// The kernel's account of one thread.
pub(crate) struct Waited {
    file: Option<File>,
}

impl Waited {
    /// Of the calling thread.
    pub(crate) fn by_this_thread() -> Waited {
        Waited { file: File::open("/proc/thread-self/schedstat").ok() }
    }

    /// How long it could have run so far and another did; `None` if the kernel does not say.
    pub(crate) fn so_far(&self) -> Option<Nanos> {
        let mut text = [0; LONGEST];
        let length = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        run_delay(std::str::from_utf8(text.get(..length)?).ok()?)
    }
}

/// The second number: after the time for which it ran, before how often.
fn run_delay(text: &str) -> Option<Nanos> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_wait() {
        assert_eq!(run_delay("1004574345636 3254754543555 424624\n"), Some(3_254_754_543_555));
        assert_eq!(["", "7", "7 x 1"].map(run_delay), [None; 3]);
    }

    #[test]
    fn the_kernel_tells_of_this_thread() {
        let waited = Waited::by_this_thread();
        // Kernels without the scheduler's statistics say nothing.
        if let Some(before) = waited.so_far() {
            assert!(waited.so_far().is_some_and(|after| after >= before));
        }
    }
}
