//! Options about settings, shared by the commands that have a preset.

use crate::commands::show;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sinew::config_file::{Settings, load, to_toml};
use sinew::settings::Named;
use std::path::PathBuf;

/// Reads the name of a value, and tells all names where there is none like it.
pub fn one_of<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|value| value.name())).try_map(|name| T::find(&name))
}

/// Settings from a file, and to a file.
#[derive(Args)]
pub struct ConfigArgs {
    /// Reads settings from a TOML file; what it does not name stays as in the preset
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Prints all settings as such a file, with comments, and ends
    #[arg(long)]
    print_config: bool,
}

impl ConfigArgs {
    /// The settings of the file, on top of those of the preset.
    pub fn on_top_of<S: Settings>(&self, preset: S) -> Result<S> {
        match &self.config {
            Some(path) => Ok(load(path, &preset)?),
            None => Ok(preset),
        }
    }

    /// Prints the settings where that is asked for; returns whether it was, so that nothing else is done.
    pub fn print<S: Settings>(&self, settings: &S, title: &str) -> Result<bool> {
        if self.print_config {
            settings.check()?;
            show(&to_toml(settings, title))?;
        }
        Ok(self.print_config)
    }
}
