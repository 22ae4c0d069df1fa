
# Prints the names of devices: those of the demo house with --demo, or else of the house that the environment names.
function __zwave_mcp_server_devices
    set -l demo (string match -- --demo (commandline -opc))
    zwave-mcp-server list --json $demo --reply-timeout=400ms 2>/dev/null |
        string replace -rf '^ *"controlName": "(.*)",?$' '$1'
end
set -l control "__fish_zwave_mcp_server_using_subcommand control"
complete -c zwave-mcp-server -n $control -f -a "{actions}"
complete -c zwave-mcp-server -n "$control; or __fish_zwave_mcp_server_using_subcommand list" -f -a "(__zwave_mcp_server_devices)"
