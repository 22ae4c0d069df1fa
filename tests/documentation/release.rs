//! Releases: the workflows, the scripts and `Cargo.toml` agree with each other.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::host::{README, copy_programs, package_field};
use crate::pages::{files, page, root};

const CI: &str = include_str!("../../.github/workflows/ci.yml");
const RELEASE: &str = include_str!("../../.github/workflows/release.yml");

/// Reads the package's metadata from `Cargo.toml`.
pub fn read_package() -> Json {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--no-deps"])
        .arg("--format-version=1")
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Json = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"][0].clone()
}

/// Lists the targets that the release workflow builds for.
pub fn targets() -> Vec<&'static str> {
    RELEASE
        .lines()
        .filter_map(|line| line.split_once("{ target: "))
        .map(|(_, rest)| rest.split(',').next().unwrap())
        .collect()
}

pub fn run_script(folder: &Path, name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder.join(name));
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn list_files(archive: &Path) -> Vec<String> {
    let file = File::open(archive).unwrap();
    if archive.extension().is_some_and(|ending| ending != "tgz") {
        let archive = zip::ZipArchive::new(file).unwrap();
        return archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    }
    let listed = Command::new("tar").arg("-tzf").arg(archive).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    listed.lines().map(str::to_owned).collect()
}

/// Fills in a template as cargo-binstall's documentation says.
fn fill_template(template: &str, package: &Json, target: &str, format: &str) -> String {
    let value = |field: &str| package[field].as_str().unwrap().to_owned();
    let extension = if format == "zip" { ".exe" } else { "" };
    [
        ("repo", value("repository")),
        ("name", value("name")),
        ("bin", value("name")),
        ("version", value("version")),
        ("target", target.to_owned()),
        ("archive-suffix", format!(".{format}")),
        ("binary-ext", extension.to_owned()),
    ]
    .iter()
    .fold(template.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{ {name} }}"), value)
    })
}

#[test]
fn cargo_binstall_finds_the_archive_that_the_workflow_packs_for_each_target() {
    needs!(python);
    let (folder, package) = (TempDir::new().unwrap(), read_package());
    let programs = copy_programs();
    let binstall = &package["metadata"]["binstall"];
    let targets = targets();
    assert!(targets.len() >= 6, "{targets:?}");
    for target in targets {
        let for_target = binstall["overrides"][target]["pkg-fmt"].as_str();
        let format = for_target.unwrap_or_else(|| binstall["pkg-fmt"].as_str().unwrap());
        let template = |field: &str| {
            let text = binstall[field].as_str().unwrap();
            let text = fill_template(text, &package, target, format);
            assert!(!text.contains("{ "), "{text}");
            text
        };
        let dist = folder.path().to_str().unwrap();
        let done = run_script(
            &root(),
            "scripts/release/build.sh",
            &[target, programs.path().to_str().unwrap(), dist],
        );
        assert!(done.status.success(), "{done:?}");
        let archive = PathBuf::from(String::from_utf8(done.stdout).unwrap().trim());
        let release = format!("{}/releases/download/v", package_field("repository"));
        let url = template("pkg-url");
        assert!(url.starts_with(&release), "{url}");
        assert_eq!(
            url.rsplit('/').next().unwrap(),
            archive.file_name().unwrap()
        );
        let files = list_files(&archive);
        let binary = template("bin-dir");
        assert!(files.contains(&binary), "no {binary} in {files:?}");
        let has = |ending: &str| files.iter().any(|file| file.ends_with(ending));
        for name in [package_field("name"), "zwave-assistant"] {
            for part in [
                format!("/man/{name}.1"),
                format!("/completions/{name}.bash"),
                format!("/completions/_{name}"),
                format!("/{name}{}", if format == "zip" { ".exe" } else { "" }),
                "/LICENSES.html".to_owned(),
            ] {
                assert!(has(&part), "no {part} in {files:?}");
            }
        }
    }
}

#[test]
fn the_same_files_make_the_same_archive_wherever_and_whenever_they_are_packed() {
    needs!(python);
    let (here, there) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let pack = |place: &Path, names: [&str; 2], suffix: &str| {
        let folder = place.join("programs");
        std::fs::create_dir_all(folder.join("man")).unwrap();
        for name in names {
            std::fs::write(folder.join(name), name).unwrap();
        }
        let archive = place.join(suffix);
        let paths = [folder.to_str().unwrap(), archive.to_str().unwrap()];
        let done = Command::new("python3")
            .arg("scripts/release/pack.py")
            .args(paths)
            .arg("1700000000")
            .current_dir(root())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        std::fs::read(archive).unwrap()
    };
    for suffix in ["a.tgz", "a.zip", "a.mcpb"] {
        let first = pack(here.path(), ["server", "man/server.1"], suffix);
        // Formats record times with a resolution of up to two seconds.
        std::thread::sleep(std::time::Duration::from_millis(2100));
        assert_eq!(
            first,
            pack(there.path(), ["man/server.1", "server"], suffix)
        );
        let names = list_files(&there.path().join(suffix));
        let folder = if suffix == "a.mcpb" { "" } else { "programs/" };
        assert_eq!(
            names,
            [format!("{folder}man/server.1"), format!("{folder}server")]
        );
    }
}

/// Packs an archive for this Linux machine from the programs of the tests, unpacks it, and returns its folder.
#[cfg(target_os = "linux")]
fn unpack_release(place: &Path) -> PathBuf {
    let programs = copy_programs();
    let arguments = [
        "x86_64-unknown-linux-musl",
        programs.path().to_str().unwrap(),
        place.to_str().unwrap(),
    ];
    let done = run_script(&root(), "scripts/release/build.sh", &arguments);
    assert!(done.status.success(), "{done:?}");
    let archive = String::from_utf8(done.stdout).unwrap();
    let unpacked = Command::new("tar").arg("-xzf").arg(archive.trim()).current_dir(place).status();
    assert!(unpacked.unwrap().success());
    PathBuf::from(archive.trim().trim_end_matches(".tgz"))
}

/// Returns the targets of all links in a page.
#[cfg(target_os = "linux")]
fn links(text: &str) -> Vec<String> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| link.to_owned()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn each_link_in_an_unpacked_release_leads_to_a_file_in_it_or_to_one_of_the_repository() {
    needs!(python);
    let place = TempDir::new().unwrap();
    let folder = unpack_release(place.path());
    let version = package_field("version");
    let repository = format!("{}/blob/v{version}/", package_field("repository"));
    let (mut inside, mut outside) = (0, 0);
    let is_page = |file: &PathBuf| file.extension().is_some_and(|end| end == "md");
    for file in files(&folder).into_iter().filter(is_page) {
        let text = std::fs::read_to_string(&file).unwrap();
        for link in links(&text) {
            let path = link.split('#').next().unwrap();
            if let Some(path) = path.strip_prefix(&repository) {
                assert!(root().join(path).exists(), "{}: {link}", file.display());
                outside += 1;
            } else if !path.is_empty() && !path.contains("://") {
                let target = file.parent().unwrap().join(path);
                assert!(target.exists(), "{}: {link}", file.display());
                inside += 1;
            }
        }
    }
    assert!(inside > 50 && outside > 5, "{inside} {outside}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_service_of_an_unpacked_release_runs_the_program_where_its_first_lines_install_it() {
    needs!(python);
    let (place, home) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let folder = unpack_release(place.path());
    let unit = std::fs::read_to_string(folder.join("systemd/zwave-assistant.service")).unwrap();
    let commands = unit.lines().filter_map(|line| line.strip_prefix("#   "));
    // The test must not start a service on this machine.
    for command in commands.filter(|line| !line.contains("ctl ")) {
        let mut shell = Command::new("sh");
        let done = shell.args(["-c", command]).current_dir(&folder).env("HOME", home.path());
        assert!(done.status().unwrap().success(), "{command}");
    }
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=%h/")).unwrap();
    let program = home.path().join(start.split(' ').next().unwrap());
    let version = Command::new(&program).arg("--version").output().unwrap();
    assert!(version.status.success(), "{version:?}");
    // The assistant starts the server that is beside it.
    assert!(program.with_file_name(package_field("name")).exists());
    let installed = home.path().join(".config/systemd/user/zwave-assistant.service");
    assert_eq!(std::fs::read_to_string(installed).unwrap(), unit);
}

/// cargo-about is not needed here: a program in its place writes an empty page.
#[test]
fn the_page_of_licences_has_those_of_rust_s_standard_library_and_of_musl() {
    use std::os::unix::fs::PermissionsExt;

    needs!(rust_licences);
    let folder = TempDir::new().unwrap();
    let about = folder.path().join("cargo-about");
    let page = "printf '<html>\\n<h1>Crates</h1>\\n</html>\\n'";
    std::fs::write(
        &about,
        format!("#!/bin/sh\nfor file; do :; done\n{page} >\"$file\"\n"),
    )
    .unwrap();
    std::fs::set_permissions(&about, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    for (target, has_musl) in [
        ("x86_64-unknown-linux-musl", true),
        ("armv7-unknown-linux-musleabihf", true),
        ("x86_64-pc-windows-msvc", false),
    ] {
        let file = folder.path().join(target);
        let mut command = Command::new("scripts/release/licenses.sh");
        command.arg(target).arg(&file).current_dir(root()).env("PATH", &path);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.strip_prefix("<html>\n<h1>Crates</h1>\n").unwrap();
        assert!(text.contains("Copyright notices for The Rust Standard Library"));
        assert!(text.ends_with("</html>\n") && text.matches("html>").count() == 1);
        let is_told = text.contains("Copyright © 2005-2020 Rich Felker");
        assert_eq!(is_told, has_musl, "{target}");
    }
}

/// If the repository moves, its owner edits one line of `Cargo.toml` and runs one script.
#[test]
fn the_repository_s_address_is_in_cargo_toml_and_in_two_files_that_a_script_updates() {
    let address = package_field("repository").strip_prefix("https://").unwrap();
    let owner_and_name = address.split_once('/').unwrap().1;
    let folders = [
        "docs",
        "src",
        "tests",
        "scripts",
        "packaging",
        ".github",
        ".ci",
    ];
    let at_root = [
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "clippy.toml",
        "deny.toml",
    ];
    let in_folders = folders.iter().flat_map(|folder| files(&root().join(folder)));
    for file in in_folders.chain(at_root.map(|file| root().join(file))) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let has_address = text.contains(owner_and_name);
        assert!(!has_address, "{} has the address", file.display());
    }
    let copy = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["README.md", "server.json"] {
        write(name, &page(name).text);
    }
    for name in ["scripts/about.sh", "scripts/release/address.sh"] {
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(root().join(name), path).unwrap();
    }
    let update = |manifest: &str| {
        write("Cargo.toml", manifest);
        let done = run_script(copy.path(), "scripts/release/address.sh", &[]);
        assert!(done.status.success(), "{done:?}");
        ["README.md", "server.json"]
            .map(|name| std::fs::read_to_string(copy.path().join(name)).unwrap())
    };
    let manifest = page("Cargo.toml").text;
    // The committed files are up to date.
    assert_eq!(
        update(&manifest),
        ["README.md", "server.json"].map(|name| page(name).text)
    );
    let moved = "https://github.com/Someone/z-wave";
    let [readme, server] = update(&manifest.replace(package_field("repository"), moved));
    assert!(readme.contains("\nmcp-name: io.github.Someone/z-wave\n"));
    let server: Json = serde_json::from_str(&server).unwrap();
    assert_eq!(server["name"], "io.github.Someone/z-wave");
    assert_eq!(server["repository"]["url"], moved);
    let has_old_address = readme.contains(owner_and_name);
    assert!(!has_old_address && !server.to_string().contains(owner_and_name));
}

#[test]
fn the_pages_name_the_rust_versions_that_cargo_and_the_workflows_use() {
    let promised = package_field("rust-version");
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

/// A step that is a script or a command can be run on anybody's machine.
#[test]
fn every_step_of_a_workflow_is_one_of_our_scripts_or_a_single_command() {
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
