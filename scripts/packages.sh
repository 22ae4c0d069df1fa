# Sourced by other scripts. Installs packages of Debian's with apt-get, as root or with sudo. Returns 1 if this is not
# possible here.
install_packages() {
    local root=()
    [ "$(id -u)" = 0 ] || root=(sudo -n)
    if ! command -v apt-get >/dev/null || ! ${root[@]+"${root[@]}"} true 2>/dev/null; then
        return 1
    fi
    ${root[@]+"${root[@]}"} apt-get -qq update >&2 &&
        ${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq --yes --no-install-recommends install "$@" >&2
}
