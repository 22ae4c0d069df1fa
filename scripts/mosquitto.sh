# Sourced by other scripts. mosquitto_program prints the path of Mosquitto. If Mosquitto is missing, installs
# it first.
. scripts/packages.sh

find_mosquitto() {
    local candidate
    for candidate in "$(command -v mosquitto || true)" /usr/sbin/mosquitto \
        /usr/local/sbin/mosquitto /opt/homebrew/sbin/mosquitto "$PWD/.tools/mosquitto/run"; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# Downloads Mosquitto and its libraries, and unpacks them in .tools. A user who may not install packages can
# do this, too.
unpack_mosquitto() {
    local home=$PWD/.tools/mosquitto apt
    mkdir -p "$home"/{state/lists/partial,cache/archives/partial,root}
    cp /var/lib/dpkg/status "$home/state/status"
    apt=(-o "Dir::State=$home/state" -o "Dir::State::status=$home/state/status"
        -o "Dir::Cache=$home/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=
        -o APT::Install-Recommends=false)
    apt-get "${apt[@]}" -qq update >&2
    apt-get "${apt[@]}" -qq --yes --download-only install mosquitto >&2
    local package
    for package in "$home"/cache/archives/*.deb; do
        dpkg -x "$package" "$home/root"
    done
    local libraries
    libraries=$home/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null ||
        echo "$(uname -m)-linux-gnu")
    cat >"$home/run" <<RUN
#!/bin/sh
LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" exec "$home/root/usr/sbin/mosquitto" "\$@"
RUN
    chmod +x "$home/run"
}

mosquitto_program() {
    find_mosquitto && return
    if command -v brew >/dev/null; then
        brew install mosquitto >&2
    elif ! command -v apt-get >/dev/null; then
        echo "Mosquitto is missing, and this script can't install it here; install it with your package manager" >&2
        return 1
    else
        install_packages mosquitto || unpack_mosquitto
    fi
    find_mosquitto
}
