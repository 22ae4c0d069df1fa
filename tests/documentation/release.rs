//! Releases: what the workflows, the scripts and `Cargo.toml` say of each other.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::host::{README, cargo, programs};
use crate::pages::{files, page, root};

const CI: &str = include_str!("../../.github/workflows/ci.yml");
const RELEASE: &str = include_str!("../../.github/workflows/release.yml");

/// The package, as cargo reads it in `Cargo.toml`.
pub fn package() -> Json {
    let told = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--no-deps"])
        .arg("--format-version=1")
        .current_dir(root())
        .output()
        .unwrap();
    let told: Json = serde_json::from_slice(&told.stdout).unwrap();
    told["packages"][0].clone()
}

/// The targets that the workflow builds for.
fn targets() -> Vec<&'static str> {
    RELEASE
        .lines()
        .filter_map(|line| line.split_once("{ target: "))
        .map(|(_, rest)| rest.split(',').next().unwrap())
        .collect()
}

fn script(folder: &Path, name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder.join(name));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// The names of an archive's files.
fn packed(archive: &Path) -> Vec<String> {
    let file = File::open(archive).unwrap();
    if archive.extension().is_some_and(|ending| ending == "zip") {
        let archive = zip::ZipArchive::new(file).unwrap();
        return archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    }
    let listed = Command::new("tar").arg("-tzf").arg(archive).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    listed.lines().map(str::to_owned).collect()
}

/// As cargo-binstall fills in a template, by its documentation.
fn filled(template: &str, package: &Json, target: &str, format: &str) -> String {
    let value = |field: &str| package[field].as_str().unwrap().to_owned();
    let ending = if format == "zip" { ".exe" } else { "" };
    [
        ("repo", value("repository")),
        ("name", value("name")),
        ("bin", value("name")),
        ("version", value("version")),
        ("target", target.to_owned()),
        ("archive-suffix", format!(".{format}")),
        ("binary-ext", ending.to_owned()),
    ]
    .iter()
    .fold(template.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{ {name} }}"), value)
    })
}

#[test]
fn cargo_binstall_finds_what_the_workflow_packs_for_each_target() {
    needs!(python);
    let (folder, package) = (TempDir::new().unwrap(), package());
    let programs = programs();
    let binstall = &package["metadata"]["binstall"];
    let targets = targets();
    assert!(targets.len() >= 6, "{targets:?}");
    for target in targets {
        let own = binstall["overrides"][target]["pkg-fmt"].as_str();
        let format = own.unwrap_or_else(|| binstall["pkg-fmt"].as_str().unwrap());
        let template = |field: &str| {
            let text = filled(binstall[field].as_str().unwrap(), &package, target, format);
            assert!(!text.contains("{ "), "{text}");
            text
        };
        let dist = folder.path().to_str().unwrap();
        let done = script(
            &root(),
            "scripts/release/build.sh",
            &[target, programs.path().to_str().unwrap(), dist],
        );
        assert!(done.status.success(), "{done:?}");
        let archive = PathBuf::from(String::from_utf8(done.stdout).unwrap().trim());
        let release = format!("{}/releases/download/v", cargo("repository"));
        let url = template("pkg-url");
        assert!(url.starts_with(&release), "{url}");
        assert_eq!(
            url.rsplit('/').next().unwrap(),
            archive.file_name().unwrap()
        );
        let files = packed(&archive);
        let binary = template("bin-dir");
        assert!(files.contains(&binary), "no {binary} in {files:?}");
        let has = |ending: &str| files.iter().any(|file| file.ends_with(ending));
        for name in [cargo("name"), "zwave-assistant"] {
            for part in [
                format!("/man/{name}.1"),
                format!("/completions/{name}.bash"),
                format!("/completions/_{name}"),
                format!("/{name}{}", if format == "zip" { ".exe" } else { "" }),
            ] {
                assert!(has(&part), "no {part} in {files:?}");
            }
        }
    }
}

/// The repository moves by one line of `Cargo.toml` and one script.
#[test]
fn the_repository_s_address_stands_in_cargo_toml_and_everything_else_follows_it() {
    let address = cargo("repository").strip_prefix("https://").unwrap();
    let owned = address.split_once('/').unwrap().1;
    for file in files(&root().join("docs"))
        .into_iter()
        .chain(
            ["src", "tests", "scripts", "packaging", ".github", ".ci"]
                .map(|one| root().join(one))
                .iter()
                .flat_map(|folder| files(folder)),
        )
        .chain(
            [
                "CONTRIBUTING.md",
                "CHANGELOG.md",
                "clippy.toml",
                "deny.toml",
            ]
            .map(|one| root().join(one)),
        )
    {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(!text.contains(owned), "{} has the address", file.display());
    }
    let copy = TempDir::new().unwrap();
    let put = |name: &str, text: &str| {
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["README.md", "server.json"] {
        put(name, &page(name).text);
    }
    for name in ["scripts/about.sh", "scripts/release/address.sh"] {
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(root().join(name), path).unwrap();
    }
    let follow = |manifest: &str| {
        put("Cargo.toml", manifest);
        let done = script(copy.path(), "scripts/release/address.sh", &[]);
        assert!(done.status.success(), "{done:?}");
        ["README.md", "server.json"]
            .map(|name| std::fs::read_to_string(copy.path().join(name)).unwrap())
    };
    let manifest = page("Cargo.toml").text;
    // The files stand as the script writes them.
    assert_eq!(
        follow(&manifest),
        ["README.md", "server.json"].map(|name| page(name).text)
    );
    let moved = "https://github.com/Someone/z-wave";
    let [readme, server] = follow(&manifest.replace(cargo("repository"), moved));
    assert!(readme.contains("\nmcp-name: io.github.Someone/z-wave\n"));
    let server: Json = serde_json::from_str(&server).unwrap();
    assert_eq!(server["name"], "io.github.Someone/z-wave");
    assert_eq!(server["repository"]["url"], moved);
    assert!(!readme.contains(owned) && !server.to_string().contains(owned));
}

#[test]
fn a_tag_of_another_version_and_a_repository_elsewhere_release_nothing() {
    let check = |tag: &str, address: &str| {
        let done = script(&root(), "scripts/release/check.sh", &[tag, address]);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.success(), said.is_empty(), "{said}");
        said
    };
    let (tag, here) = (format!("v{}", cargo("version")), cargo("repository"));
    assert!(check("v9.9.9", here).contains("the tag is v9.9.9"));
    assert!(check(&tag, "https://github.com/Someone/fork").contains("mend it there"));
    // The changelog remains, whose entry is written last.
    let heading = format!("\n## [{}] - ", cargo("version"));
    let released = page("CHANGELOG.md").text.contains(&heading);
    assert_eq!(check(&tag, here).is_empty(), released);
}

#[test]
fn the_pages_promise_the_rust_that_cargo_and_the_workflow_check() {
    let promised = cargo("rust-version");
    assert!(README.contains(&format!("Rust ({promised} or newer)")));
    let contributing = page("CONTRIBUTING.md").text;
    assert!(contributing.contains(&format!("Rust {promised} or newer")));
    assert!(CI.contains("run: ./scripts/promised.sh"));
    for workflow in [CI, RELEASE] {
        let daily = workflow
            .split_once("RUSTUP_TOOLCHAIN: \"")
            .unwrap()
            .1
            .split('"')
            .next()
            .unwrap();
        assert!(contributing.contains(&format!("Rust {daily}, which CI uses")));
    }
}

/// Each step can then be run, and mended, on anybody's machine.
#[test]
fn every_step_of_a_workflow_is_a_script_that_is_here_or_one_line_for_a_tool() {
    let mut scripts = 0;
    for line in CI.lines().chain(RELEASE.lines()) {
        let Some(command) = line.trim().strip_prefix("- run: ") else {
            assert!(!line.trim().starts_with("run: |"), "{line}");
            continue;
        };
        let program = command.split(' ').next().unwrap();
        if let Some(path) = program.strip_prefix("./") {
            assert!(root().join(path).is_file(), "{line}");
            scripts += 1;
        } else {
            assert!(["rustup", "cargo", "gh"].contains(&program), "{line}");
        }
    }
    assert!(scripts >= 8, "{scripts}");
}
