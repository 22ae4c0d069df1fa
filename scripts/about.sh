# Sourced by other scripts. `about FIELD` prints a field of Cargo.toml.

about() {
    sed -n "s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml | head -n 1
}

# Prints the server's name in the MCP registry: io.github.OWNER/REPOSITORY.
registry_name() {
    about repository | sed 's|^https://github.com/|io.github.|'
}

run_python() {
    "$(command -v python3 || command -v python)" "$@"
}

# pack FOLDER ARCHIVE packs a folder: the same files always make the same archive. Their time is that of the last commit.
pack() {
    local time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1577836800)}
    run_python scripts/release/pack.py "$1" "$2" "$time"
}

# link_pages FOLDER makes links in the pages of a folder absolute, if they lead to files that it does not contain.
link_pages() {
    run_python scripts/release/links.py "$1" "$(about repository)/blob/v$(about version)"
}
