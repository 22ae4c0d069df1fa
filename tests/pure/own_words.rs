//! The owner's file for `--names`.

use zwave_mcp_server::home::own_words::OwnWords;

#[test]
fn the_error_for_a_wrong_file_names_the_line_and_the_fault() {
    for (file, part) in [
        (
            "[aliases]\n\"lamp\" = \"Hall/Lamp\"\nnonsense here\n",
            "line 3: ",
        ),
        ("[aliases]\nlamp = 3\n", "line 2: invalid type: integer"),
        ("[floors]\nup = \"Bath\"\n", "line 2: invalid type: string"),
        ("\n[rooms]\na = \"b\"\n", "line 2: unknown field `rooms`"),
        ("[aliases]\na = \"b\"\na = \"c\"\n", "line 3: duplicate key"),
    ] {
        let error = OwnWords::read(file).unwrap_err();
        assert!(error.starts_with(part), "{error}");
    }
}

proptest::proptest! {
    #[test]
    fn any_file_is_read_or_refused(file in "(\\PC{0,30}\n){0,8}") {
        let _ = OwnWords::read(&file);
    }
}
