fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(
        format!("{out}/page_files.rs"),
        "static FILES: &[(&str, &[u8])] = &[]; const MISSING: Option<&str> = Some(\"no page\");",
    )
    .unwrap();
}
