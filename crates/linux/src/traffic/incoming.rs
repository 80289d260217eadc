//! A file on its way in: under a name that nobody can foresee, until all of it is there and right; then under its
//! own, or one beside it.

use super::ranges::Ranges;
use super::word::{Offer, digest, hexadecimal};
use crate::sys::file;
use control::wire::FileChunk;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Pieces into which what has come may fall.
const PIECES: usize = 1 << 16;
/// A file whose SHA-256 is wrong is sent so often.
const TRIES: u32 = 5;
/// Names beside its own that are tried: `name-2` to this.
const NAMES: u32 = 99;
/// Received files have the permissions of any other.
const MODE: u32 = 0o666;

/// Why a file is not taken: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused(String);

impl Refused {
    pub(super) fn new(why: &str) -> Refused {
        Refused(why.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Refused {
        Refused(error.to_string())
    }
}

/// Where files go that come.
pub(super) struct Folder {
    path: PathBuf,
    /// Files begin so that are not whole yet.
    begins: String,
}

impl Folder {
    /// A directory in which files can be made. What an earlier process of this node has left there half goes.
    pub(super) fn open(path: &Path, node: u16) -> io::Result<Folder> {
        let begins = format!(".photocol-{node}-");
        for entry in fs::read_dir(path)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&begins) && name.ends_with(".part") {
                let _ = fs::remove_file(entry.path());
            }
        }
        let folder = Folder { path: path.to_path_buf(), begins };
        let (probe, _) = folder.part()?;
        fs::remove_file(probe)?;
        Ok(folder)
    }

    /// A new file whose name is random.
    fn part(&self) -> io::Result<(PathBuf, File)> {
        let part = self.path.join(format!("{}{}.part", self.begins, hexadecimal(&file::random::<16>()?)));
        let file = file::create(&part, MODE)?;
        Ok((part, file))
    }

    /// A file begins to come.
    pub(super) fn begin(&self, offer: &Offer) -> Result<Incoming, Refused> {
        let Offer { name, length, sha256 } = offer.clone();
        let (part, file) = self.part()?;
        let (ranges, tries) = (Ranges::default(), 0);
        let incoming = Incoming { name: clean(&name), file, part: Some(part), length, sha256, ranges, tries };
        incoming.file.set_len(length)?;
        Ok(incoming)
    }

    /// Whether the file is there already, from an earlier start.
    pub(super) fn has(&self, offer: &Offer) -> bool {
        let Offer { name, length, sha256 } = offer;
        let found = file::open_ordinary(&self.path.join(clean(name)), false);
        found.is_ok_and(|(file, found)| {
            found == *length && digest(&file, found).is_ok_and(|digest| hexadecimal(&digest) == *sha256)
        })
    }
}

/// A name that is a name and no path.
fn clean(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control() && *c != '/').take(200).collect();
    match name.trim_start_matches('.') {
        "" => "file".into(),
        name => name.into(),
    }
}

/// `picture.png` becomes `picture-2.png`.
fn beside(name: &str, number: u32) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => format!("{stem}-{number}.{ending}"),
        _ => format!("{name}-{number}"),
    }
}

/// A file of which some has come.
pub(super) struct Incoming {
    pub(super) name: String,
    file: File,
    /// Its name until it is whole.
    part: Option<PathBuf>,
    length: u64,
    sha256: String,
    ranges: Ranges,
    tries: u32,
}

impl Incoming {
    /// A chunk has come.
    pub(super) fn take(&mut self, chunk: &FileChunk) -> Result<(), Refused> {
        let end = chunk.offset.saturating_add(chunk.bytes.len() as u64);
        if chunk.length == self.length && end <= self.length && self.ranges.count() < PIECES {
            self.file.write_all_at(&chunk.bytes, chunk.offset)?;
            self.ranges.insert(chunk.offset, end);
        }
        Ok(())
    }

    /// What is lacking; nothing if the file is whole and has its name.
    pub(super) fn gaps_or_finish(&mut self, most: usize, within: &Folder) -> Result<Option<Vec<(u64, u64)>>, Refused> {
        let gaps = self.ranges.gaps(self.length, most);
        if !gaps.is_empty() {
            return Ok(Some(gaps));
        }
        if hexadecimal(&digest(&self.file, self.length)?) == self.sha256 {
            self.file.sync_all()?;
            self.name(within)?;
            return Ok(None);
        }
        self.tries += 1;
        if self.tries == TRIES {
            return Err(Refused(format!("what came {TRIES} times is not the file that was offered")));
        }
        // All of it again.
        self.ranges = Ranges::default();
        Ok(Some(self.ranges.gaps(self.length, most)))
    }

    /// Gives it its name, or the next one that nothing has.
    fn name(&mut self, within: &Folder) -> Result<(), Refused> {
        let Some(part) = &self.part else { return Ok(()) };
        for number in 1..=NAMES {
            let name = if number == 1 { self.name.clone() } else { beside(&self.name, number) };
            match file::rename_new(part, &within.path.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => {
                    other?;
                    self.part = None;
                    return Ok(());
                }
            }
        }
        Err(Refused(format!("{NAMES} files of that name are there")))
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Half a file is of no use to anybody.
            let _ = fs::remove_file(part);
        }
    }
}
