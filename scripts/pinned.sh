# Sourced by other scripts. Installs programs from npm and PyPI into the folder $folder, unless they are there
# already. The files in the folder $pins determine their versions.

# Installs a lock file's packages. `npm ci` would fail, because the file lists only the binaries of the system that
# wrote it.
install_npm_packages() {
    cmp -s "$pins/$1/package-lock.json" "$folder/$1/installed.json" && return
    rm -rf "${folder:?}/$1"
    mkdir -p "$folder/$1"
    cp "$pins/$1"/package*.json "$folder/$1/"
    npm --prefix "$folder/$1" install --silent --no-save --no-audit --no-fund
    cp "$pins/$1/package-lock.json" "$folder/$1/installed.json"
}

# Installs the Python packages of a list. The second argument can name another interpreter than python3.
install_python_packages() {
    cmp -s "$pins/python/$1.txt" "$folder/$1/installed.txt" && return
    rm -rf "${folder:?}/$1"
    "${2:-python3}" -m venv "$folder/$1"
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check --no-deps \
        --requirement "$pins/python/$1.txt"
    cp "$pins/python/$1.txt" "$folder/$1/installed.txt"
}

# Installs zig (a C compiler and linker for any target) and cargo-zigbuild (which makes cargo use zig).
install_zig() {
    local pins=scripts/release folder=target/tools
    install_python_packages zig
    PATH=$PWD/target/tools/zig/bin:$PATH
}
