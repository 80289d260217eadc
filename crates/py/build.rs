//! What the build is made of, for manifests: a digest of the sources, the compiler and the target.
//!
//! The digest is of the names and the bytes of all files under `crates/*/src` and of `Cargo.lock`. It depends on no
//! clock, no path of the machine and no commit, so the same sources have the same digest from a checkout and from a
//! source distribution.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let mut files = vec![root.join("Cargo.lock")];
    println!("cargo:rerun-if-changed={}", files[0].display());
    for one in fs::read_dir(root.join("crates"))? {
        let sources = one?.path().join("src");
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
            list(&sources, &mut files)?;
        }
    }
    println!("cargo:rustc-env=PHOTOCOL_SOURCES={}", digest(&root, files)?);
    println!("cargo:rustc-env=PHOTOCOL_COMPILER={}", compiler()?);
    println!("cargo:rustc-env=PHOTOCOL_TARGET={}", env::var("TARGET")?);
    Ok(())
}

/// Adds every file below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for one in fs::read_dir(folder)? {
        let path = one?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// 16 hexadecimal digits of the SHA-256 over the names, as they are below the root, and the contents.
fn digest(root: &Path, files: Vec<PathBuf>) -> Result<String, Box<dyn Error>> {
    let mut named = Vec::new();
    for path in files {
        let parts: Vec<_> = path.strip_prefix(root)?.iter().map(|part| part.to_string_lossy()).collect();
        named.push((parts.join("/"), path));
    }
    named.sort();
    let mut hash = Sha256::new();
    for (name, path) in named {
        let content = fs::read(path)?;
        hash.update(format!("{name}\0{}\0", content.len()));
        hash.update(content);
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// As the compiler calls itself: its name and its version.
fn compiler() -> Result<String, Box<dyn Error>> {
    let said = Command::new(env::var("RUSTC")?).arg("--version").output()?.stdout;
    Ok(String::from_utf8(said)?.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}
