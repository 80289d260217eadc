//! Files: new ones that nobody else has prepared, and reads with a bound.
//!
//! A name in a folder of others may be a link that somebody has put there. Whatever is made here is therefore made
//! new (`O_CREAT | O_EXCL`), follows no
//! link and replaces nothing. Whatever is read here has a most, since a name may be `/dev/zero`.

use super::checked;
use super::time::{self, Nanos};
use super::wait;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A pipe has so long to say something.
const PATIENCE: Nanos = 5_000_000_000;
/// A read takes so many bytes at a time.
const PIECE: u64 = 1 << 16;
/// Bytes of a file of the kernel that are looked at.
const HEAD: usize = 4096;

/// A new folder for this user alone (0700) whose name begins so: `mkdtemp`.
pub(crate) fn private_folder(begins: &Path) -> io::Result<PathBuf> {
    let mut template = begins.as_os_str().as_bytes().to_vec();
    template.extend_from_slice(b"XXXXXX");
    let mut template = CString::new(template)?.into_bytes_with_nul();
    // SAFETY: the pointer is to a string that ends with 0 and lives across the call, which writes into its last six
    // letters only.
    if unsafe { libc::mkdtemp(template.as_mut_ptr().cast()) }.is_null() {
        return Err(io::Error::last_os_error());
    }
    template.pop();
    Ok(PathBuf::from(OsString::from_vec(template)))
}

/// A new file with these permissions, less what the umask takes. It is an error if anything has that name, a link
/// included.
pub(crate) fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(mode).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// A new file that takes the place of an ordinary file of its name, if there is one. Links and devices stay, and are
/// an error.
pub(crate) fn replace(path: &Path, mode: u32) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        fs::remove_file(path)?;
    }
    create(path, mode)
}

/// Gives a file a name that nothing has.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (old, new) = (name(from)?, name(to)?);
    let here = libc::AT_FDCWD;
    // SAFETY: the pointers are to strings that end with 0 and live across the call.
    let answer =
        unsafe { libc::syscall(libc::SYS_renameat2, here, old.as_ptr(), here, new.as_ptr(), libc::RENAME_NOREPLACE) };
    match checked(answer) {
        // Some network file systems have no such call.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        other => other.map(|_| ()),
    }
}

/// An ordinary file, to be read, and its length; anything else is an error, and a link in its last place if `follows`
/// is false.
pub(crate) fn open_ordinary(path: &Path, follows: bool) -> io::Result<(File, u64)> {
    let flags = libc::O_NONBLOCK | if follows { 0 } else { libc::O_NOFOLLOW };
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    match found.is_file() {
        true => Ok((file, found.len())),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not an ordinary file")),
    }
}

/// All of a file, if it has at most so many bytes. A pipe has a time limit.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let (mut bytes, until) = (Vec::new(), time::now() + PATIENCE);
    loop {
        match (&file).take(PIECE).read_to_end(&mut bytes) {
            _ if bytes.len() as u64 > most => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("more than {most} bytes")));
            }
            Ok(0) => return Ok(bytes),
            Ok(_) => {}
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) if time::now() >= until => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end within 5 s"));
            }
            Err(_) => wait::ready(&[file.as_raw_fd()], until).map(|_| ())?,
        }
    }
}

/// The beginning of a file of the kernel.
pub(crate) fn head(path: &str) -> String {
    let mut bytes = [0; HEAD];
    let length = File::open(path).and_then(|file| file.read_at(&mut bytes, 0)).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

/// Random bytes of the kernel.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Folders of this user in a folder, no links, whose names are chosen by `wanted`.
pub(crate) fn own_folders(within: &Path, wanted: impl Fn(&OsStr) -> bool) -> Vec<PathBuf> {
    // SAFETY: it has no arguments and always succeeds.
    let user = unsafe { libc::geteuid() };
    let is_own = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == user);
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    entries.filter(|entry| wanted(&entry.file_name())).map(|entry| entry.path()).filter(is_own).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder that goes with its test.
    pub(crate) struct Scratch(pub(crate) PathBuf);

    impl Scratch {
        pub(crate) fn new() -> Scratch {
            Scratch(private_folder(&std::env::temp_dir().join("photocol-test-")).unwrap())
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_private_folder_is_new_and_nobody_elses() {
        let (one, other) = (Scratch::new(), Scratch::new());
        assert_ne!(one.0, other.0);
        assert_eq!(mode(&one.0), 0o700);
    }

    #[test]
    fn what_is_made_follows_no_link_and_replaces_nothing_but_ordinary_files() {
        let Scratch(folder) = &Scratch::new();
        let (target, link, file) = (folder.join("target"), folder.join("link"), folder.join("file"));
        fs::write(&target, "precious").unwrap();
        symlink(&target, &link).unwrap();
        assert!(create(&link, 0o600).is_err() && create(&target, 0o600).is_err() && replace(&link, 0o600).is_err());
        symlink(folder.join("nowhere"), folder.join("dangling")).unwrap();
        assert!(create(&folder.join("dangling"), 0o600).is_err() && !folder.join("nowhere").exists());
        drop(create(&file, 0o600).unwrap());
        assert_eq!(mode(&file), 0o600);
        // A second name of the target is no way to it either: the name is taken, not the content.
        fs::remove_file(&file).unwrap();
        fs::hard_link(&target, &file).unwrap();
        io::Write::write_all(&mut replace(&file, 0o600).unwrap(), b"new").unwrap();
        assert_eq!((fs::read(&target).unwrap(), fs::read(&file).unwrap()), (b"precious".to_vec(), b"new".to_vec()));
        assert!(rename_new(&file, &target).is_err() && rename_new(&file, &link).is_err());
        rename_new(&file, &folder.join("free")).unwrap();
        assert_eq!((fs::read(folder.join("free")).unwrap(), file.exists()), (b"new".to_vec(), false));
    }

    #[test]
    fn a_read_ends_at_its_most_and_a_pipe_without_a_writer_is_empty() {
        assert_eq!(read(Path::new("/dev/zero"), 1000).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let Scratch(folder) = &Scratch::new();
        fs::write(folder.join("file"), [7; 1000]).unwrap();
        assert_eq!(read(&folder.join("file"), 1000).unwrap(), [7; 1000]);
        assert!(read(&folder.join("file"), 999).is_err());
        let name = CString::new(folder.join("pipe").as_os_str().as_bytes()).unwrap();
        // SAFETY: the pointer is to a string that ends with 0 and lives across the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert_eq!(read(&folder.join("pipe"), 1000).unwrap(), b"");
        assert!(open_ordinary(&folder.join("pipe"), true).is_err() && open_ordinary(folder, true).is_err());
    }
}
