# Sourced by other scripts. Reads fields of Cargo.toml, so that no script repeats them.

about() {
    sed -n "s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml | head -n 1
}

# The name in the MCP registry, which begins with the owner of the repository.
registry_name() {
    about repository | sed 's|^https://github.com/|io.github.|'
}
