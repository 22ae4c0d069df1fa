//! What is checked before a release is published, and what its notes say.

use std::path::Path;

use tempfile::TempDir;

use crate::host::{copy_programs, package_field};
use crate::pages::{page, root};
use crate::release::{run_script, targets};

#[test]
fn a_release_is_refused_if_its_tag_or_its_repository_differs_from_cargo_toml() {
    let check = |tag: &str, address: &str| {
        let done = run_script(&root(), "scripts/release/check.sh", &[tag, address]);
        let complaint = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.success(), complaint.is_empty(), "{complaint}");
        complaint
    };
    let tag = format!("v{}", package_field("version"));
    let here = package_field("repository");
    assert!(check("v9.9.9", here).contains("the tag is v9.9.9"));
    assert!(check(&tag, "https://github.com/Someone/fork").contains("correct Cargo.toml"));
    // The changelog's entry may still be missing, and entries be unreleased, because it is written last.
    let changelog = page("CHANGELOG.md").text;
    let is_in_changelog = changelog.contains(&format!("\n## [{}] - ", package_field("version")));
    let unreleased = changelog.split("\n## ").find(|part| part.starts_with("[Unreleased]"));
    let is_ready = is_in_changelog && !unreleased.is_some_and(|part| part.contains("\n- "));
    let complaint = check(&tag, here);
    assert_eq!(complaint.is_empty(), is_ready, "{complaint}");
    assert!(
        is_ready || complaint.contains("CHANGELOG.md has"),
        "{complaint}"
    );
}

/// Makes a folder with the scripts that check a release, and with a changelog that has this under "Unreleased".
fn copy_scripts(unreleased: &str) -> TempDir {
    let copy = TempDir::new().unwrap();
    for name in [
        "Cargo.toml",
        "scripts/about.sh",
        "scripts/release/check.sh",
        "scripts/release/links.py",
        "scripts/release/notes.sh",
        "scripts/release/try.sh",
    ] {
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(root().join(name), path).unwrap();
    }
    let heading = format!("## [{}] - 2026-01-01", package_field("version"));
    let entry = "- New: [docs](docs/VIEW.md) and [a site](https://example.org/).";
    let changelog = format!("# Changelog\n\n## [Unreleased]\n{unreleased}\n{heading}\n\n{entry}\n");
    std::fs::write(copy.path().join("CHANGELOG.md"), changelog).unwrap();
    copy
}

/// Checks the release of this version in a folder. Returns whether it is allowed, and the complaint.
fn check(folder: &TempDir) -> (bool, String) {
    let tag = format!("v{}", package_field("version"));
    let arguments = [tag.as_str(), package_field("repository")];
    let done = run_script(folder.path(), "scripts/release/check.sh", &arguments);
    (
        done.status.success(),
        String::from_utf8(done.stderr).unwrap(),
    )
}

#[test]
fn a_release_is_refused_while_the_changelog_has_something_unreleased() {
    assert_eq!(check(&copy_scripts("")), (true, String::new()));
    let (is_allowed, complaint) = check(&copy_scripts("\n### Added\n\n- A lamp.\n"));
    assert!(
        !is_allowed && complaint.contains("entries under \"Unreleased\""),
        "{complaint}"
    );
}

/// Every page that says today that nothing is released must be corrected before the first release.
#[test]
fn a_release_is_refused_while_a_page_for_users_says_that_nothing_is_released() {
    // Each page, and what else it says today of a release to come.
    let pages: [(&str, &[&str]); 4] = [
        (
            "README.md",
            &[
                "no packages to download",
                "works from a checkout",
                "registry will be",
            ],
        ),
        (
            "docs/INSTALL.md",
            &["In your checkout, once", "once there is a release"],
        ),
        ("docs/PROGRAMS.md", &["Until there is a release"]),
        (".github/SECURITY.md", &[]),
    ];
    let mut are_told = 0;
    for (name, promises) in pages {
        let copy = copy_scripts("");
        let path = copy.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "The demo house is there to download.\n").unwrap();
        assert_eq!(check(&copy), (true, String::new()));
        std::fs::write(&path, "So there\n  is nothing to\ndownload.\n").unwrap();
        let (is_allowed, complaint) = check(&copy);
        assert!(
            !is_allowed && complaint.contains(name) && complaint.contains("nothing to download"),
            "{complaint}"
        );
        // The page itself, as it is today.
        let text = page(name).text;
        std::fs::write(&path, &text).unwrap();
        let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_told = ["release yet", "released yet"].iter().any(|words| told.contains(words))
            || promises.iter().any(|words| told.contains(words));
        let (is_allowed, complaint) = check(&copy);
        assert_eq!(is_allowed, !is_told, "{name}: {complaint}");
        // Everything that is no longer true is named at once.
        for words in promises.iter().filter(|words| told.contains(**words)) {
            assert!(complaint.contains(words), "{words:?}: {complaint}");
        }
        are_told += usize::from(is_told);
    }
    let is_released = page("CHANGELOG.md").text.contains("\n## [0.1.0] - ");
    assert_eq!(are_told, if is_released { 0 } else { pages.len() });
}

#[test]
fn release_notes_say_which_file_is_for_which_computer_and_have_only_absolute_links() {
    needs!(python);
    let copy = copy_scripts("");
    let done = run_script(copy.path(), "scripts/release/notes.sh", &[]);
    assert!(done.status.success(), "{done:?}");
    let notes = String::from_utf8(done.stdout).unwrap();
    let version = package_field("version");
    let files = format!("{}/blob/v{version}/docs/", package_field("repository"));
    let new = format!("- New: [docs]({files}VIEW.md) and [a site](https://example.org/).");
    assert!(notes.contains(&new), "{notes}");
    assert!(notes.contains(&format!("({files}INSTALL.md)")), "{notes}");
    for link in notes.split("](").skip(1) {
        assert!(link.starts_with("https://"), "{link}");
    }
    let name = package_field("name");
    for target in targets() {
        for file in [
            format!("`{name}-{version}-{target}.mcpb`"),
            format!("`{name}-{version}-{target}."),
        ] {
            assert!(notes.contains(&file), "no {file} in {notes}");
        }
    }
    assert_eq!(notes.matches(".mcpb").count(), targets().len());
}

#[cfg(target_os = "linux")]
#[test]
fn the_programs_of_an_archive_are_run_before_they_are_published() {
    needs!(python);
    let place = TempDir::new().unwrap();
    let folder = place.path().to_str().unwrap();
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let pack = |programs: &Path| {
        let arguments = [&target, programs.to_str().unwrap(), folder];
        let packed = run_script(&root(), "scripts/release/build.sh", &arguments);
        assert!(packed.status.success(), "{packed:?}");
        run_script(&root(), "scripts/release/try.sh", &[&target, folder])
    };
    let programs = copy_programs();
    let done = pack(programs.path());
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("lists the demo house"), "{said}");
    // A program of another version is refused.
    let assistant = programs.path().join("zwave-assistant");
    std::fs::remove_file(&assistant).unwrap();
    std::fs::write(&assistant, "#!/bin/sh\necho zwave-assistant 0.0.0\n").unwrap();
    let runs = std::fs::metadata(programs.path().join("zwave-mcp-server")).unwrap();
    std::fs::set_permissions(&assistant, runs.permissions()).unwrap();
    let refused = pack(programs.path());
    assert!(!refused.status.success(), "{refused:?}");
    let other = run_script(
        &root(),
        "scripts/release/try.sh",
        &["sparc-sun-solaris", folder],
    );
    let said = String::from_utf8(other.stdout).unwrap();
    assert!(
        other.status.success() && said.contains("not run on this machine"),
        "{said}"
    );
}

#[test]
fn the_container_of_zwave_js_ui_is_the_version_that_the_pages_say_was_tried() {
    let compose = page("packaging/compose.yaml").text;
    let tag = compose.split_once("zwavejs/zwave-js-ui:").unwrap().1;
    let version = tag.lines().next().unwrap();
    assert_eq!(version.split('.').count(), 3, "{version}");
    for name in [
        "README.md",
        "docs/TROUBLESHOOTING.md",
        "docs/dev/GATEWAY.md",
    ] {
        assert!(page(name).text.contains(version), "{name}");
    }
}
