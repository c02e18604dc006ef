//! What Python loads, as it was built beside this test: `target/debug/deps/lib_sinew.so`. The tests of what it does are in Python, in this folder.

use std::path::PathBuf;

/// The extension module, where the system calls it so.
fn extension() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a file");
    test.with_file_name(format!("{}_sinew{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

#[test]
fn it_is_built_with_the_tests_and_leaves_python_to_who_loads_it() {
    let path = extension();
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    assert!(names("PyInit__sinew"), "it has no entry for Python");
    // A library that is asked for is named with its version: libpython3.11.so.1.0.
    assert!(
        !names("libpython"),
        "it asks for libpython; PYO3_BUILD_EXTENSION_MODULE was not set, see .cargo/config.toml"
    );
}
