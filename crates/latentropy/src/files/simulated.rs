//! A disk in memory that loses its power at a given moment, and with it what was not synced.
//!
//! What is assumed of a real one: the bytes of a file that was synced are there, of one that was not any beginning of what was
//! added, perhaps with zeros in it; changes of names reach the disk in the order in which they were made, as in every file
//! system with a journal, some time or when their directory is synced.

use super::disk::{Disk, Output};
use super::names;
use rand::{Rng, RngExt};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes of a file, and how many of them are safe.
#[derive(Clone, Debug, Default)]
struct Inode {
    bytes: Vec<u8>,
    safe: usize,
}

/// Names, as they are or as they were on the disk.
#[derive(Clone, Debug, Default)]
struct Names {
    files: BTreeMap<PathBuf, usize>,
    directories: BTreeSet<PathBuf>,
}

/// A change of names.
#[derive(Clone, Debug)]
enum Change {
    Make(PathBuf, usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    MakeDirectory(PathBuf),
    RemoveDirectory(PathBuf),
}

#[derive(Debug, Default)]
struct State {
    inodes: Vec<Inode>,
    now: Names,
    safe: Names,
    /// Changes that may not have reached the disk.
    pending: Vec<Change>,
    /// How many things were asked of the disk.
    asked: usize,
    /// After so many the power is lost.
    until: Option<usize>,
}

/// The disk.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk(Arc<Mutex<State>>);

impl SimulatedDisk {
    /// One with an empty directory.
    pub fn with_directory(path: &Path) -> Self {
        let disk = SimulatedDisk::default();
        let mut state = disk.state();
        state.now.directories.insert(path.to_path_buf());
        state.safe = state.now.clone();
        drop(state);
        disk
    }

    /// Puts a file there, safe from everything.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.state();
        state.inodes.push(Inode {
            bytes: bytes.to_vec(),
            safe: bytes.len(),
        });
        let inode = state.inodes.len() - 1;
        state.now.files.insert(path.to_path_buf(), inode);
        state.safe = state.now.clone();
        state.pending.clear();
    }

    /// The bytes of a file; none where there is no such file.
    pub fn content(&self, path: &Path) -> Vec<u8> {
        let state = self.state();
        let inode = state.inode(path);
        inode.map_or_else(|_| Vec::new(), |inode| state.inodes[inode].bytes.clone())
    }

    /// The names of all files.
    pub fn files(&self) -> Vec<PathBuf> {
        self.state().now.files.keys().cloned().collect()
    }

    /// The power is lost after so many more things are asked of it: all that follows fails.
    pub fn lose_power_after(&self, more: usize) {
        let mut state = self.state();
        state.until = Some(state.asked + more);
    }

    /// How many things were asked of it so far.
    pub fn asked(&self) -> usize {
        self.state().asked
    }

    /// The disk as it may be found when the power is back.
    pub fn after_power_loss(&self, rng: &mut impl Rng) -> SimulatedDisk {
        let state = self.state();
        let mut found = State {
            inodes: state.inodes.clone(),
            now: state.safe.clone(),
            ..State::default()
        };
        let reached = rng.random_range(0..=state.pending.len());
        for change in &state.pending[..reached] {
            found.now.apply(change);
        }
        for inode in &mut found.inodes {
            let kept = rng.random_range(inode.safe..=inode.bytes.len());
            inode.bytes.truncate(kept);
            if rng.random_bool(0.25) {
                // Blocks that were given to the file and never written.
                let zeros = rng.random_range(inode.safe..=kept);
                inode.bytes[zeros..].fill(0);
            }
            inode.safe = inode.bytes.len();
        }
        found.safe = found.now.clone();
        SimulatedDisk(Arc::new(Mutex::new(found)))
    }

    /// The disk as a process that was killed leaves it: nothing is lost.
    pub fn after_kill(&self) -> SimulatedDisk {
        let state = self.state();
        let mut found = State {
            inodes: state.inodes.clone(),
            now: state.now.clone(),
            ..State::default()
        };
        found.safe = found.now.clone();
        SimulatedDisk(Arc::new(Mutex::new(found)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more thing is asked; none is done without power.
    fn ask(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        if state.until.is_some_and(|until| state.asked >= until) {
            return Err(io::Error::other("the power is lost"));
        }
        state.asked += 1;
        Ok(state)
    }
}

impl Names {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Make(path, inode) => {
                self.files.insert(path.clone(), *inode);
            }
            Change::Remove(path) => {
                self.files.remove(path);
            }
            Change::MakeDirectory(path) => {
                self.directories.insert(path.clone());
            }
            Change::RemoveDirectory(path) => {
                self.directories.remove(path);
            }
            Change::Rename(from, to) => {
                if let Some(inode) = self.files.remove(from) {
                    self.files.insert(to.clone(), inode);
                }
                if self.directories.remove(from) {
                    self.directories.insert(to.clone());
                    let inside: Vec<PathBuf> = self.files.keys().cloned().collect();
                    for path in inside {
                        if let Ok(rest) = path.strip_prefix(from)
                            && let Some(inode) = self.files.remove(&path)
                        {
                            self.files.insert(to.join(rest), inode);
                        }
                    }
                }
            }
        }
    }
}

impl State {
    fn change(&mut self, change: Change) {
        self.now.apply(&change);
        self.pending.push(change);
    }

    fn inode(&self, path: &Path) -> io::Result<usize> {
        let found = self.now.files.get(path).copied();
        found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn make(&mut self, path: &Path) -> io::Result<usize> {
        let directory = path.parent().unwrap_or(Path::new(""));
        if !self.now.directories.contains(directory) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if self.now.files.contains_key(path) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        self.inodes.push(Inode::default());
        let inode = self.inodes.len() - 1;
        self.change(Change::Make(path.to_path_buf(), inode));
        Ok(inode)
    }
}

impl Disk for SimulatedDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.ask()?;
        let inode = state.inode(path)?;
        Ok(state.inodes[inode].bytes.clone())
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        let state = self.ask()?;
        let all = state.now.files.keys().chain(&state.now.directories);
        let inside = all.filter(|path| path.parent() == Some(directory));
        let names = inside.filter_map(|path| path.file_name()?.to_str().map(str::to_string));
        let names: BTreeSet<String> = names.collect();
        Ok(names.into_iter().collect())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.state().now.files.contains_key(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        let inode = self.ask()?.make(path)?;
        Ok(Box::new(SimulatedFile(self.clone(), inode)))
    }

    fn temporary(&self, directory: &Path) -> io::Result<(PathBuf, Box<dyn Output>)> {
        let path = directory.join(names::temporary());
        let file = self.create(&path)?;
        Ok((path, file))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        let inode = self.ask()?.inode(path)?;
        Ok(Box::new(SimulatedFile(self.clone(), inode)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask()?
            .change(Change::Rename(from.to_path_buf(), to.to_path_buf()));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.ask()?;
        state.inode(path)?;
        state.change(Change::Remove(path.to_path_buf()));
        Ok(())
    }

    fn make_directory(&self, path: &Path) -> io::Result<()> {
        self.ask()?
            .change(Change::MakeDirectory(path.to_path_buf()));
        Ok(())
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.ask()?
            .change(Change::RemoveDirectory(path.to_path_buf()));
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut state = self.ask()?;
        // The journal of the file system is written up to here.
        state.safe = state.now.clone();
        state.pending.clear();
        Ok(())
    }
}

/// A file on it.
#[derive(Debug)]
struct SimulatedFile(SimulatedDisk, usize);

impl Output for SimulatedFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.ask()?.inodes[self.1].bytes.extend(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.0.ask()?;
        let inode = &mut state.inodes[self.1];
        inode.safe = inode.bytes.len();
        Ok(())
    }

    fn take_permissions_of(&mut self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Manifest, RunDirectory};
    use super::*;
    use crate::random::{Purpose, stream};

    const PLACE: &str = "run";

    /// Writes a run of some files, all of which hold its name.
    fn write_run(disk: &SimulatedDisk, run: &str, names: &[&str]) -> crate::Result<()> {
        let directory = RunDirectory::on(Arc::new(disk.clone()), Path::new(PLACE))?;
        let mut staging = directory.stage()?;
        for name in names {
            staging.put(name, run.repeat(100).as_bytes())?;
        }
        let manifest = staging.manifest("fit", run, &[]);
        staging.put("run.json", &serde_json::to_vec(&manifest).unwrap())?;
        staging.commit()
    }

    /// The run that the files are of; none where there is no run. Anything else is a mixture.
    fn found(disk: &SimulatedDisk) -> Option<String> {
        let place = Path::new(PLACE);
        RunDirectory::on(Arc::new(disk.clone()), place).unwrap();
        let names = disk.names(place).unwrap();
        let Some(manifest) = Manifest::of(disk, place) else {
            assert!(names.is_empty(), "{names:?} without a manifest");
            return None;
        };
        for name in manifest.files.keys() {
            let bytes = disk.read(&place.join(name)).unwrap();
            assert!(manifest.is_of_run(name, &bytes), "{name}");
        }
        // Nothing else, hidden or not, is left.
        assert_eq!(names.len(), manifest.files.len() + 1, "{names:?}");
        Some(manifest.run)
    }

    #[test]
    fn a_run_is_whole_or_absent_wherever_the_power_is_lost() {
        let mut rng = stream(14, Purpose::Start, 0);
        for lose in 0..200 {
            for _ in 0..20 {
                let disk = SimulatedDisk::with_directory(Path::new(PLACE));
                write_run(&disk, "r1", &["model.json", "weights.csv", "old.csv"]).unwrap();
                disk.lose_power_after(lose);
                let second = write_run(&disk, "r2", &["model.json", "weights.csv", "new.csv"]);
                let killed = found(&disk.after_kill());
                assert!(killed.is_some(), "{lose}");
                let after = found(&disk.after_power_loss(&mut rng));
                // What was reported as written is there to stay.
                let expected: &[&str] = if second.is_ok() {
                    &["r2"]
                } else {
                    &["r1", "r2"]
                };
                assert!(expected.contains(&after.unwrap().as_str()), "{lose}");
            }
        }
    }

    #[test]
    fn a_first_run_is_whole_or_absent_and_recovery_may_be_cut_off_too() {
        let mut rng = stream(14, Purpose::Start, 1);
        for lose in 0..60 {
            let disk = SimulatedDisk::with_directory(Path::new(PLACE));
            disk.lose_power_after(lose);
            let written = write_run(&disk, "r1", &["model.json", "weights.csv"]);
            let mut after = disk.after_power_loss(&mut rng);
            for again in 0..10 {
                after.lose_power_after(again);
                let _ = RunDirectory::on(Arc::new(after.clone()), Path::new(PLACE));
                after = after.after_power_loss(&mut rng);
            }
            let after = found(&after);
            assert!(written.is_err() || after.is_some(), "{lose}");
        }
    }
}
