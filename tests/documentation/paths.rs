//! Every link has a target. Every file or section that a page or comment refers to exists.

use std::path::Path;

use crate::pages::{Page, files, page, pages, root};

/// Returns the documentation's pages, and three pages in other folders.
fn all_pages() -> Vec<Page> {
    let elsewhere = [
        "fixtures/README.md",
        "fixtures/houses/README.md",
        ".github/SECURITY.md",
    ];
    pages().into_iter().chain(elsewhere.map(page)).collect()
}

#[test]
fn every_link_has_a_target() {
    let mut count = 0;
    for page in all_pages() {
        let file = root().join(&page.path);
        let folder = file.parent().unwrap();
        for link in page.links() {
            count += 1;
            if link.contains("://") {
                assert!(link.starts_with("https://"), "{}: {link}", page.path);
                continue;
            }
            let (path, section) = link.split_once('#').unwrap_or((&link, ""));
            let file = folder.join(path);
            assert!(file.exists(), "{}: {link}", page.path);
            if section.is_empty() {
                continue;
            }
            let anchors = if path.is_empty() {
                page.anchors()
            } else {
                crate::pages::page(file.to_str().unwrap()).anchors()
            };
            let exists = anchors.iter().any(|anchor| anchor == section);
            assert!(exists, "{}: {link} is none of {anchors:?}", page.path);
        }
    }
    assert!(count > 50, "only {count} links");
}

#[test]
fn every_page_can_be_reached_from_the_readme() {
    let all = pages();
    let mut reached = vec!["README.md".to_owned()];
    let mut next = 0;
    while let Some(path) = reached.get(next).cloned() {
        next += 1;
        let from = page(&path);
        for link in from.links() {
            let file = link.split('#').next().unwrap().to_owned();
            if file.contains("://") || extension(Path::new(&file), &["md"]).is_none() {
                continue;
            }
            let file = match (path.split_once('/'), file.strip_prefix("../")) {
                (Some(_), Some(file)) => file.to_owned(),
                (Some((folder, _)), None) => format!("{folder}/{file}"),
                (None, _) => file,
            };
            let is_page = all.iter().any(|page| page.path == file);
            if is_page && !reached.contains(&file) {
                reached.push(file);
            }
        }
    }
    for page in &all {
        assert!(
            reached.contains(&page.path),
            "no page links to {}",
            page.path
        );
    }
}

#[test]
fn every_file_named_in_a_page_exists() {
    let roots = [
        "src/",
        "tests/",
        "scripts/",
        "fixtures/",
        "docs/",
        "packaging/",
        ".ci/",
        ".github/",
    ];
    let our_extensions = ["md", "rs", "sh", "toml"];
    let mut count = 0;
    for page in all_pages() {
        let page_file = root().join(&page.path);
        for span in page.code() {
            let word = span.split([' ', '#']).next().unwrap().trim_start_matches("./");
            let is_bare_name =
                !word.contains('/') && extension(Path::new(word), &our_extensions).is_some();
            if !is_bare_name && !roots.iter().any(|folder| word.starts_with(folder)) {
                continue;
            }
            count += 1;
            let beside_page = page_file.parent().unwrap().join(word);
            let exists = root().join(word).exists() || (is_bare_name && beside_page.exists());
            assert!(exists, "{} names {word}, which does not exist", page.path);
        }
    }
    assert!(count > 60, "only {count} files are named");
}

/// A comment may cite only pages of this repository, where readers can find them.
#[test]
fn every_page_and_section_cited_in_a_comment_exists() {
    let mut count = 0;
    for folder in ["src", "tests", "scripts", "fixtures"] {
        for file in files(&root().join(folder)) {
            if extension(&file, &["rs", "sh", "py", "md", "mjs"]).is_none() {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            let is_in_path =
                |letter: char| letter.is_ascii_alphanumeric() || "/._-#".contains(letter);
            for word in text.split(|letter| !is_in_path(letter)) {
                let (path, section) = word.split_once('#').unwrap_or((word, ""));
                if extension(Path::new(path), &["md"]).is_none() {
                    continue;
                }
                let from_root = path.trim_start_matches("../");
                let beside_file = file.parent().unwrap().join(path);
                let exists = root().join(from_root).is_file() || beside_file.is_file();
                assert!(exists, "{}: {word}", file.display());
                if section.is_empty() {
                    continue;
                }
                count += 1;
                let anchors = page(from_root).anchors();
                let section = section.trim_end_matches('.');
                let exists = anchors.iter().any(|anchor| anchor == section);
                assert!(exists, "{}: {word} is none of {anchors:?}", file.display());
            }
        }
    }
    assert!(count > 20, "only {count} sections are cited");
}

/// Returns the extension of a path, if it is one of these.
fn extension<'a>(path: &'a Path, known: &[&str]) -> Option<&'a str> {
    path.extension()?.to_str().filter(|extension| known.contains(extension))
}
