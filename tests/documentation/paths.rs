//! Links, files and the sections that comments cite are there.

use std::path::Path;

use crate::pages::{Page, files, page, pages, root};

/// The pages, and those that lie beside fixtures.
fn all_pages() -> Vec<Page> {
    let beside = [
        "fixtures/README.md",
        "fixtures/houses/README.md",
        ".github/SECURITY.md",
    ];
    let beside = beside.map(page);
    pages().into_iter().chain(beside).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in all_pages() {
        let file = root().join(&page.path);
        let folder = file.parent().unwrap();
        for link in page.links() {
            followed += 1;
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
            let there = if path.is_empty() {
                page.anchors()
            } else {
                Page {
                    path: link.clone(),
                    text: std::fs::read_to_string(&file).unwrap(),
                }
                .anchors()
            };
            let found = there.iter().any(|anchor| anchor == section);
            assert!(found, "{}: {link} is none of {there:?}", page.path);
        }
    }
    assert!(followed > 50, "only {followed} links");
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
            if file.contains("://") || Path::new(&file).extension().is_none_or(|own| own != "md") {
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
fn every_file_that_is_named_is_there() {
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
    let of_the_tree = ["md", "rs", "sh", "toml"];
    let mut named = 0;
    for page in all_pages() {
        let own = root().join(&page.path);
        for span in page.code() {
            let word = span.split([' ', '#']).next().unwrap().trim_start_matches("./");
            let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
            let plain = !word.contains('/') && ending.is_some_and(|own| of_the_tree.contains(&own));
            if !plain && !roots.iter().any(|folder| word.starts_with(folder)) {
                continue;
            }
            named += 1;
            let beside = own.parent().unwrap().join(word);
            let there = root().join(word).exists() || (plain && beside.exists());
            assert!(there, "{} names {word}", page.path);
        }
    }
    assert!(named > 60, "only {named} files are named");
}

/// Sources that are not here can't be looked up.
#[test]
fn every_comment_cites_what_is_in_the_tree() {
    let mut cited = 0;
    for folder in ["src", "tests", "scripts", "fixtures"] {
        for file in files(&root().join(folder)) {
            let ending = file.extension().and_then(|ending| ending.to_str());
            if !ending.is_some_and(|own| ["rs", "sh", "py", "md", "mjs"].contains(&own)) {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            let letters = |one: char| one.is_ascii_alphanumeric() || "/._-#".contains(one);
            for word in text.split(|one| !letters(one)) {
                let (path, section) = word.split_once('#').unwrap_or((word, ""));
                if Path::new(path).extension().is_none_or(|own| own != "md") {
                    continue;
                }
                let from_root = path.trim_start_matches("../");
                let beside = file.parent().unwrap().join(path);
                let there = root().join(from_root).is_file() || beside.is_file();
                assert!(there, "{}: {word}", file.display());
                if section.is_empty() {
                    continue;
                }
                cited += 1;
                let anchors = page(from_root).anchors();
                let section = section.trim_end_matches('.');
                let found = anchors.iter().any(|anchor| anchor == section);
                assert!(found, "{}: {word} is none of {anchors:?}", file.display());
            }
        }
    }
    assert!(cited > 20, "only {cited} sections are cited");
}
