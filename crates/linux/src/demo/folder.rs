//! The private folder of a demo.

use crate::config::{Refusal, input};
use crate::sys::file;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// A private folder with the key and the configurations. It goes when this is dropped; those of demos that were killed
/// go when the next one starts.
pub(super) struct Directory(PathBuf);

const PREFIX: &str = "photocol-demo-";
/// Only this user reads and writes what is in it.
const MODE: u32 = 0o600;

impl Directory {
    pub(super) fn new() -> Result<Directory, Refusal> {
        let temporary = std::env::temp_dir();
        for left in file::own_folders(&temporary, |name| left_by_the_dead(&name.to_string_lossy())) {
            let _ = fs::remove_dir_all(left);
        }
        let begins = temporary.join(format!("{PREFIX}{}-", std::process::id()));
        let path = file::private_folder(&begins)
            .map_err(|error| input(format!("a folder in {}: {error}", temporary.display())))?;
        Ok(Directory(path))
    }

    /// The path of a file in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file that is not there yet.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> Result<(), Refusal> {
        let path = self.path(name);
        let written = file::create(&path, MODE).and_then(|mut file| file.write_all(text));
        written.map_err(|error| input(format!("{}: {error}", path.display())))
    }
}

/// Whether a folder's name says that it is of a demo whose process has gone.
fn left_by_the_dead(name: &str) -> bool {
    let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    owner.is_some_and(|owner| !PathBuf::from(format!("/proc/{owner}")).exists())
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::file::tests::Scratch;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_folder_of_a_demo_and_the_key_in_it_are_for_its_user_alone_and_follow_no_link() {
        let directory = Directory::new().unwrap();
        directory.write("key", b"secret").unwrap();
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(directory.0.clone()), mode(directory.0.join("key"))), (0o700, 0o600));
        let name = directory.0.file_name().unwrap().to_string_lossy().into_owned();
        assert_ne!(name, format!("{PREFIX}{}", std::process::id()), "nobody can prepare it");
        let Scratch(other) = &Scratch::new();
        fs::write(other.join("precious"), "untouched").unwrap();
        symlink(other.join("precious"), directory.0.join("node-0.toml")).unwrap();
        assert!(directory.write("node-0.toml", b"x").is_err());
        assert_eq!(fs::read(other.join("precious")).unwrap(), b"untouched");
    }

    #[test]
    fn folders_of_dead_demos_are_known_by_their_names() {
        let own = std::process::id();
        let names =
            [format!("{PREFIX}{own}-abcdef"), format!("{PREFIX}4294967295-abcdef"), format!("{PREFIX}4294967295")];
        assert_eq!(names.map(|name| left_by_the_dead(&name)), [false, true, true]);
        assert!(!left_by_the_dead("photocol-demo-") && !left_by_the_dead("else-4294967295-abcdef"));
    }
}
