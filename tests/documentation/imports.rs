//! The rules that the tree keeps about itself: no two files import each other, the rooms form no circle, no two
//! types that other files can see share a name, and the list of requests is complete.

use std::collections::{BTreeMap, BTreeSet};

use zwave_mcp_server::gateway::protocol::topics::REQUESTS;

use crate::pages::{files, root};

/// The path of a module, such as `["home", "names"]`.
type Module = Vec<String>;

/// The folders whose files are modules of a crate of their own.
const CRATES: [&[&str]; 2] = [&["bin", "zwave-assistant"], &["home"]];

/// A file's imports: the name that each one binds, and its path.
struct Source {
    text: String,
    imports: Vec<(String, String)>,
}

/// The files of `src`, by module.
struct Tree(BTreeMap<Module, Source>);

fn read_tree() -> Tree {
    let source = root().join("src");
    let modules = files(&source).into_iter().filter_map(|file| {
        let path = file.strip_prefix(&source).unwrap().to_str().unwrap().strip_suffix(".rs")?;
        let path = path.strip_suffix("/main").unwrap_or(path);
        let module = path.split('/').filter(|name| *name != "lib").map(str::to_owned).collect();
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines: Vec<_> = code.lines().map(|line| line.split("//").next().unwrap()).collect();
        let text = lines.join("\n");
        let imports = imports(&text);
        Some((module, Source { text, imports }))
    });
    Tree(modules.collect())
}

/// Returns the name and the path of each `use`, and of each path in the code that begins at the crate or above.
fn imports(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let is_statement = code[..at].ends_with(['\n', ' ', ')']) || at == 0;
        if let Some((tree, _)) = code[at + 4..].split_once(';').filter(|_| is_statement) {
            expand(
                "",
                &tree.split_whitespace().collect::<Vec<_>>().join(" "),
                &mut found,
            );
        }
    }
    for start in ["crate::", "super::", "zwave_mcp_server::"] {
        for (at, _) in code.match_indices(start) {
            let is_in_path = |letter: &char| letter.is_alphanumeric() || "_:".contains(*letter);
            let path: String = code[at..].chars().take_while(is_in_path).collect();
            let is_whole = !code[..at].ends_with(|letter| is_in_path(&letter));
            if is_whole && !path.ends_with(':') {
                found.push((String::new(), path));
            }
        }
    }
    found
}

/// Adds each path of a `use` tree, such as `a::{b, c as d}`.
fn expand(prefix: &str, tree: &str, found: &mut Vec<(String, String)>) {
    if let Some((head, inner)) = tree.split_once('{') {
        let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let part = inner[start..at].trim();
                    if !part.is_empty() {
                        expand(&format!("{prefix}{}", head.trim()), part, found);
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path = format!("{prefix}{}", path.trim());
    let path = path.strip_suffix("::self").unwrap_or(&path).to_owned();
    let last = path.rsplit("::").next().unwrap().to_owned();
    let name = if alias.is_empty() {
        last
    } else {
        alias.trim().to_owned()
    };
    found.push((name, path));
}

impl Tree {
    /// Returns the module that defines what a path in `module` names; `None` for another crate's.
    fn resolve(&self, module: &Module, path: &str, depth: usize) -> Option<Module> {
        let mut parts = path.split("::").peekable();
        let root = CRATES.iter().find(|folder| module.iter().take(folder.len()).eq(**folder));
        let at = match *parts.peek()? {
            "crate" => module[..root.map_or(0, |folder| folder.len())].to_vec(),
            "zwave_mcp_server" => Module::new(),
            "self" => module.clone(),
            "super" => {
                let mut above = module.clone();
                while parts.next_if_eq(&"super").is_some() {
                    above.pop();
                }
                return self.descend(above, parts, depth);
            }
            name if self.0.contains_key(&child(module, name)) => {
                return self.descend(module.clone(), parts, depth);
            }
            _ => return None,
        };
        parts.next();
        self.descend(at, parts, depth)
    }

    /// Follows a path from a module, through submodules and re-exports, to the module with the definition.
    fn descend<'a>(
        &self,
        mut at: Module,
        parts: impl Iterator<Item = &'a str>,
        depth: usize,
    ) -> Option<Module> {
        for part in parts {
            let below = child(&at, part);
            if self.0.contains_key(&below) {
                at = below;
                continue;
            }
            let imports = self.0.get(&at).map_or(&[][..], |source| &source.imports);
            let path = imports.iter().find(|(name, _)| name == part).map(|(_, path)| path);
            let elsewhere = path.filter(|_| depth < 8);
            return elsewhere.map_or(Some(at.clone()), |path| self.resolve(&at, path, depth + 1));
        }
        Some(at)
    }

    /// Returns each import of one file by another.
    fn edges(&self) -> BTreeSet<(Module, Module)> {
        let edges = self.0.iter().flat_map(|(from, source)| {
            let paths = source.imports.iter().map(|(_, path)| path);
            let to = paths.filter_map(move |path| self.resolve(from, path, 0));
            to.map(move |to| (from.clone(), to))
        });
        edges.filter(|(from, to)| from != to).collect()
    }
}

fn child(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// A file and the files in its folder are one subject, so they may import each other.
#[test]
fn no_two_files_import_each_other() {
    let edges = read_tree().edges();
    assert!(edges.len() > 800, "only {} imports were read", edges.len());
    let circles: Vec<_> = edges
        .iter()
        .filter(|(from, to)| !from.starts_with(to) && !to.starts_with(from) && from < to)
        .filter(|(from, to)| edges.contains(&(to.clone(), from.clone())))
        .map(|(from, to)| format!("{} and {}", from.join("/"), to.join("/")))
        .collect();
    assert!(circles.is_empty(), "these import each other: {circles:#?}");
}

#[test]
fn the_rooms_form_no_circle() {
    let room = |module: &Module| module.first().cloned().unwrap_or_default();
    let edges = read_tree().edges();
    let arrows = edges.iter().map(|(from, to)| (room(from), room(to)));
    let mut arrows: BTreeSet<_> = arrows.filter(|(from, to)| from != to).collect();
    let is_drawn = |from: &str, to: &str| arrows.contains(&(from.to_owned(), to.to_owned()));
    assert!(is_drawn("mcp", "gateway") && is_drawn("gateway", "home"));
    // Remove the arrows that start at a room to which no arrow leads, until only circles remain.
    loop {
        let reached: BTreeSet<_> = arrows.iter().map(|(_, to)| to.clone()).collect();
        let before = arrows.len();
        arrows.retain(|(from, _)| reached.contains(from));
        if arrows.len() == before {
            break;
        }
    }
    assert!(arrows.is_empty(), "a circle in {arrows:?}");
}

#[test]
fn no_two_types_that_other_files_can_see_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, source) in read_tree().0 {
        for line in source.text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("pub") else {
                continue;
            };
            let rest = match rest.strip_prefix('(') {
                Some(scope) => scope.split_once(')').unwrap().1,
                None => rest,
            };
            let mut words = rest.trim_start().split(|letter: char| !letter.is_alphanumeric());
            if let Some("struct" | "enum" | "trait" | "type" | "union") = words.next() {
                let name = words.next().unwrap().to_owned();
                places.entry(name).or_default().push(module.join("/"));
            }
        }
    }
    assert!(places.len() > 400, "only {} types were read", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "these share a name: {places:#?}");
}

/// The server's own code calls these functions with the name of a request.
const SENDING: [&str; 6] = [
    ".send(\"",
    ".query(\"",
    "add_request(\"",
    "list_request(\"",
    "publish_request(&name, \"",
    "request_topic(&self.prefix, gateway, \"",
];

#[test]
fn the_list_of_requests_has_those_that_the_code_sends_and_no_others() {
    let mut sent = BTreeSet::new();
    for folder in ["src/gateway", "src/doctor"] {
        for file in files(&root().join(folder)) {
            let text = std::fs::read_to_string(file).unwrap();
            for call in SENDING {
                let names = text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
                sent.extend(names.map(str::to_owned));
            }
        }
    }
    assert_eq!(sent, REQUESTS.split(", ").map(str::to_owned).collect());
}
