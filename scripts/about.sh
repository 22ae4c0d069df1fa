# Sourced by other scripts. `about FIELD` prints a field of Cargo.toml.

about() {
    sed -n "s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml | head -n 1
}

# Prints the server's name in the MCP registry: io.github.OWNER/REPOSITORY.
registry_name() {
    about repository | sed 's|^https://github.com/|io.github.|'
}
