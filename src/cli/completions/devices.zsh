
# Completes the name of a device. The names are those of the demo house with --demo, or else of the house that the
# environment names.
_zwave_mcp_server_devices() {
    local -a demo devices
    [[ $BUFFER == *' --demo'* ]] && demo=(--demo)
    devices=(${(f)"$(zwave-mcp-server list --json $demo --reply-timeout=400ms 2>/dev/null |
        sed -n 's/^ *"controlName": "\(.*\)",*$/\1/p')"})
    compadd -M 'm:{[:lower:]}={[:upper:]}' -a devices
}
