//! Unit tests of `src/bin/zwave-assistant/history.rs`.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn history_is_readable_only_by_its_owner() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("zwave-assistant");
    let file = folder.join("history");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(&file, "unlock the front door\n").unwrap();
    for path in [&folder, &file] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut editor = LineEditor {
        editor: Editor::new().unwrap(),
        file: Some(file.clone()),
    };
    editor.editor.add_history_entry("lock it").unwrap();
    editor.save();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    assert!(std::fs::read_to_string(&file).unwrap().contains("lock it"));
}
