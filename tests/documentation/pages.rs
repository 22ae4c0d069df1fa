//! Parses the pages into blocks and tables.

use std::path::{Path, PathBuf};

pub struct Page {
    /// The path, relative to the repository's root.
    pub path: String,
    pub text: String,
}

/// A fenced block.
pub struct Block {
    pub page: String,
    pub language: String,
    pub text: String,
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn page(path: &str) -> Page {
    let text = std::fs::read_to_string(root().join(path));
    Page {
        path: path.to_owned(),
        text: text.unwrap_or_else(|error| panic!("{path}: {error}")),
    }
}

/// Returns every page: those at the root, and all of `docs`.
pub fn pages() -> Vec<Page> {
    let at_root = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let docs = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The folder also contains pictures.
    let docs = docs.filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
    let mut docs: Vec<String> = docs.map(|name| format!("docs/{name}")).collect();
    docs.sort();
    at_root.into_iter().chain(docs).map(|path| page(&path)).collect()
}

/// Returns the blocks of every page, in order.
pub fn blocks() -> Vec<Block> {
    pages().iter().flat_map(Page::blocks).collect()
}

/// Returns the shell commands of every page.
pub fn shell_lines() -> Vec<String> {
    let blocks = blocks();
    blocks
        .iter()
        .filter(|block| block.language == "sh")
        .flat_map(Block::commands)
        .collect()
}

impl Block {
    /// Returns the lines that are neither empty nor comments.
    pub fn commands(&self) -> Vec<String> {
        self.text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect()
    }
}

impl Page {
    pub fn blocks(&self) -> Vec<Block> {
        let mut found = Vec::new();
        let mut open: Option<Block> = None;
        for line in self.text.lines() {
            match (line.trim_start().strip_prefix("```"), open.as_mut()) {
                (Some(language), None) => {
                    open = Some(Block {
                        page: self.path.clone(),
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => found.extend(open.take()),
                (None, Some(block)) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block is not closed", self.path);
        found
    }

    /// Returns the text without the blocks.
    fn prose(&self) -> String {
        let parts = self.text.split("\n```").step_by(2);
        parts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the rows of all tables, each as a list of cells.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let prose = self.prose();
        prose
            .lines()
            .filter(|line| line.starts_with("| "))
            .map(|row| {
                let row = row.replace("\\|", "/");
                row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
            })
            .collect()
    }
}

/// Returns every file in a folder and its subfolders.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
