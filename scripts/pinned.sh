# Sourced by other scripts: installs programs from npm and PyPI in pinned versions, out of the folder
# $pins into the folder $folder, unless just these are there.

# The packages of a lock file. Not with `npm ci`, which wants other systems' binaries in it too.
javascript() {
    cmp -s "$pins/$1/package-lock.json" "$folder/$1/installed.json" && return
    rm -rf "${folder:?}/$1"
    mkdir -p "$folder/$1"
    cp "$pins/$1"/package*.json "$folder/$1/"
    npm --prefix "$folder/$1" install --silent --no-save --no-audit --no-fund
    cp "$pins/$1/package-lock.json" "$folder/$1/installed.json"
}

# A list of Python packages that leaves nothing open; with the interpreter of the second word.
python() {
    cmp -s "$pins/python/$1.txt" "$folder/$1/installed.txt" && return
    rm -rf "${folder:?}/$1"
    "${2:-python3}" -m venv "$folder/$1"
    "$folder/$1/bin/pip" install --quiet --disable-pip-version-check --no-deps \
        --requirement "$pins/python/$1.txt"
    cp "$pins/python/$1.txt" "$folder/$1/installed.txt"
}

# zig, the linker and C compiler for every target, and cargo's command for it.
zig() {
    local pins=scripts/release folder=target/tools
    python zig
    PATH=$PWD/target/tools/zig/bin:$PATH
}
