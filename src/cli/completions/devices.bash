
# Adds the names of devices to the completions of `list` and `control`. They are those of the demo house with --demo,
# or else of the house that the environment names.
_zwave_mcp_server_devices() {
    _zwave__mcp__server "$@"
    ((BASH_VERSINFO[0] >= 4)) || return
    [[ $2 != -* && ($3 != -* || $3 == --demo) ]] || return
    local word name typed=${2//\\/} words=() demo=() names=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
            --demo) demo=(--demo) ;;
            -*) ;;
            *) words+=("$word") ;;
        esac
    done
    [[ ${words[*]} == control || ${words[*]} == list ]] || return
    while IFS= read -r name; do
        [[ ${name,,} == "${typed,,}"* ]] && names+=("$name")
    done < <(zwave-mcp-server list --json "${demo[@]}" --reply-timeout=400ms 2>/dev/null |
        sed -n 's/^ *"controlName": "\(.*\)",*$/\1/p')
    ((${#names[@]})) || return
    [[ $typed ]] || COMPREPLY=()
    COMPREPLY+=("${names[@]}")
    # Escapes spaces.
    compopt -o filenames 2>/dev/null
}
complete -F _zwave_mcp_server_devices -o bashdefault -o default zwave-mcp-server
