# Sourced by other scripts: what Cargo.toml says of the package, which is said nowhere else.

about() {
    sed -n "s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml | head -n 1
}

# The name in the MCP registry, whose first half is whose repository it is.
registry_name() {
    about repository | sed 's|^https://github.com/|io.github.|'
}
