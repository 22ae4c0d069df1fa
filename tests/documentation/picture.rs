//! The picture in `docs/ARCHITECTURE.md` shows the imports between the rooms (top-level modules).

use std::collections::BTreeSet;

use crate::pages::{files, page, root};

type Arrows = BTreeSet<(String, String)>;

/// Returns the arrows in the picture, each as the names of two rooms.
fn drawn_arrows() -> Arrows {
    let blocks = page("docs/ARCHITECTURE.md").blocks();
    let picture = blocks.iter().find(|block| block.language == "mermaid");
    picture
        .unwrap()
        .text
        .lines()
        .filter_map(|line| line.trim().split_once(" --> "))
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect()
}

/// Returns the lower-case names after `crate::` and `zwave_mcp_server::`. Braces can hold a list of names.
fn imported_modules(code: &str) -> BTreeSet<String> {
    let paths = ["crate::", "zwave_mcp_server::"];
    paths
        .iter()
        .flat_map(|path| code.split(path).skip(1))
        .flat_map(|end| {
            let list = end.strip_prefix('{').and_then(|list| list.split('}').next());
            let names =
                list.unwrap_or(end).split(',').take(if list.is_some() { usize::MAX } else { 1 });
            let word = |name: &str| {
                let letters = |letter: &char| letter.is_ascii_lowercase() || *letter == '_';
                name.trim().chars().take_while(letters).collect::<String>()
            };
            names.map(word).collect::<Vec<_>>()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn the_picture_s_arrows_are_the_imports() {
    let drawn = drawn_arrows();
    let rooms: BTreeSet<&String> = drawn.iter().flat_map(|(from, to)| [from, to]).collect();
    // A module that is not drawn counts as a part of `main`.
    let room = |name: &str| match rooms.get(&name.to_owned()) {
        Some(room) => (*room).clone(),
        None => "main".to_owned(),
    };
    let source = root().join("src");
    let mut imports = Arrows::new();
    for file in files(&source) {
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text
            .lines()
            .map(|line| line.split("//").next().unwrap())
            .collect::<Vec<_>>()
            .join("\n");
        let path = file.strip_prefix(&source).unwrap().to_str().unwrap();
        let from = room(path.split('/').next().unwrap().trim_end_matches(".rs"));
        let arrows = imported_modules(&code)
            .into_iter()
            // Leave out macros and functions at the root, which have no file of their own.
            .filter(|name| source.join(format!("{name}.rs")).exists())
            .map(|name| (from.clone(), room(&name)));
        imports.extend(arrows.filter(|(from, to)| from != to));
    }
    assert_eq!(drawn, imports);
}

#[test]
fn the_arrows_form_no_circle() {
    let mut remaining = drawn_arrows();
    // Repeatedly remove each arrow that starts at a room to which no arrow leads. A circle would remain.
    loop {
        let reached: BTreeSet<String> = remaining.iter().map(|(_, to)| to.clone()).collect();
        let before = remaining.len();
        remaining.retain(|(from, _)| reached.contains(from));
        if remaining.is_empty() {
            return;
        }
        assert!(remaining.len() < before, "a circle in {remaining:?}");
    }
}
