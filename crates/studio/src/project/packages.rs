//! Packages: characters that are played.

use super::{Found, Project};
use crate::error::Refusal;
use crate::protocol::{PackageAction, PackageEntry};
use sinew::playing::{Package, PackageHead};
use std::path::{Path, PathBuf};

/// The file by which a package is known; its path is the package's id.
pub const PACKAGE: &str = "package.toml";
/// Folder of a package with what it was made of.
pub const WORK: &str = "work";

/// A package that was read.
pub struct OpenPackage {
    /// The package.
    pub package: Package,
    /// What `sinew play` is given for it.
    pub source: PathBuf,
    /// Id of the rig whose skin follows it.
    pub rig: Option<String>,
}

impl Project {
    /// The list of packages.
    pub fn package_entries(&self, found: &Found) -> Vec<PackageEntry> {
        let entry = |id: &String| {
            let folder = self.root().join(id);
            let folder = folder.parent().unwrap_or(self.root());
            let (head, problem) = match Package::head(folder) {
                Ok(head) => (head, None),
                Err(error) => {
                    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let head = PackageHead { name, rig: None, actions: Vec::new(), is_simulated: true };
                    (head, Some(error.to_string()))
                }
            };
            let actions = head.actions.into_iter();
            let actions = actions.map(|a| PackageAction { name: a.name, key: a.key, about: a.about }).collect();
            PackageEntry { id: id.clone(), name: head.name, actions, is_simulated: head.is_simulated, problem }
        };
        found.packages.keys().map(entry).collect()
    }

    /// Reads a package by its id. All ways to a package lead through here.
    ///
    /// # Errors
    /// Where it is not there, of another version, or one of its files has changed.
    pub fn open_package(&self, id: &str) -> Result<OpenPackage, Refusal> {
        let missing = || Refusal::missing(format!("there is no package {id}; choose one from the list"));
        let path = self.path(id)?;
        if path.file_name().is_none_or(|name| name != PACKAGE) || !path.is_file() {
            return Err(missing());
        }
        let source = path.parent().ok_or_else(missing)?.to_path_buf();
        let package = Package::read(&source).map_err(sinew::Error::from)?;
        let folder = Path::new(id).parent();
        let rig =
            package.rig.as_ref().zip(folder).map(|((name, _), folder)| self.id(&self.root().join(folder).join(name)));
        Ok(OpenPackage { package, source, rig })
    }
}
