"""Sets up each host as its owner would, except for the model's address.

Each host has a function. It takes the host's home folder, the server's entry as `doctor` prints it, and the model's
address. It writes the host's files, and returns:
- the host's environment variables
- the commands that finish the setup and show whether the host finds the server
- the command that makes the host ask the model
- if a person uses the host at a terminal: pairs of a text on the screen and the keys to press when the text appears
"""

import json
import shlex
import sys
from pathlib import Path

HERE = Path(__file__).parent
ASK = "See to the house."
# The words on the screen when a host asks whether a door may be unlocked.
QUESTION = "Unlock Front Door?"
# The question, and the key to press if "yes" is already selected: Enter.
YES = (QUESTION, b"\r")
TOOLS = ["list_zwave_devices", "control_zwave_device"]


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def put_yaml(path, own, entry):
    """Writes the host's own settings and the entry into one YAML file. JSON is valid in YAML."""
    put(path, "".join(f"{key}: {json.dumps(value)}\n" for key, value in own.items()) + entry + "\n")


def claude(home, entry, url):
    environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    allowed = ",".join(f"mcp__zwave__{tool}" for tool in TOOLS)
    find = [shlex.split(entry), ["claude", "mcp", "list"]]
    return environment, find, ["claude", "-p", ASK, "--allowedTools", allowed]


def claude_terminal(home, entry, url):
    # These settings answer the questions of Claude Code's first start.
    known = {"hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": ["none"]}}
    put(home / ".claude.json", {**known, "projects": {str(home): {"hasTrustDialogAccepted": True}}})
    environment, find, command = claude(home, entry, url)
    # Tick the box, go down to the button that accepts, and press it.
    person = [(QUESTION, b" "), ("☒", b"\x1b[B"), ("❯", b"\r")]
    return environment, find, [word for word in command if word != "-p"], person


def claude_hook(home, entry, url):
    answer = {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept", "content": {"allow": True}}}
    hook = {"type": "command", "command": f"echo '{json.dumps(answer)}'"}
    put(home / ".claude" / "settings.json", {"hooks": {"Elicitation": [{"hooks": [hook]}]}})
    return claude(home, entry, url)


def codex(home, entry, url):
    config = f"""
        model = "stand-in"
        model_provider = "local"
        check_for_update_on_startup = false
        analytics.enabled = false
        model_providers.local = {{ name = "local", base_url = "{url}/v1", wire_api = "responses" }}
        features.plugins = false
        features.apps = false
        """
    put(home / ".codex" / "config.toml", config + entry)
    allowed = 'mcp_servers.zwave.default_tools_approval_mode="approve"'
    return {}, [["codex", "mcp", "list"]], ["codex", "exec", "--skip-git-repo-check", "-c", allowed, ASK]


def codex_terminal(home, entry, url):
    environment, find, (_, _, _, *options) = codex(home, entry, url)
    return environment, find, ["codex", *options], [YES]


def codex_full_access(home, entry, url):
    environment, find, _ = codex(home, entry, url)
    return environment, find, ["codex", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", ASK]


def codex_app_server(home, entry, url):
    environment, find, _ = codex(home, entry, url)
    return environment, find, [sys.executable, HERE / "editor.py", ASK]


def gemini(home, entry, url):
    settings = {
        **json.loads(entry),
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    put(home / ".gemini" / "settings.json", settings)
    environment = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return environment, [["gemini", "mcp", "list"]], ["gemini", "-p", ASK, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]


def opencode(home, entry, url):
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    config = {
        "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"stand-in": {}}}},
        **json.loads(entry),
        "autoupdate": False,
        "share": "disabled",
    }
    put(home / "opencode.json", config)
    environment = {"OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return environment, [["opencode", "mcp", "list"]], ["opencode", "run", "-m", "local/stand-in", ASK]


def continues(home, entry, url):
    model = {"name": "stand-in", "provider": "openai", "model": "stand-in", "apiBase": f"{url}/v1", "apiKey": "none"}
    config = {
        "name": "local",
        "version": "1.0.0",
        "schema": "v1",
        "models": [{**model, "roles": ["chat"], "capabilities": ["tool_use"]}],
    }
    put_yaml(home / "config.yaml", config, entry)
    return {"CONTINUE_TELEMETRY_ENABLED": "0"}, [], ["cn", "-p", ASK, "--config", home / "config.yaml", "--auto"]


def copilot(home, entry, url):
    put(home / ".copilot" / "mcp-config.json", entry)
    provider = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": "none"}
    environment = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    environment |= {"COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
    return environment, [["copilot", "mcp", "list"]], ["copilot", "-p", ASK, "--allow-all-tools"]


def copilot_terminal(home, entry, url):
    environment, find, (_, _, *options) = copilot(home, entry, url)
    return environment, find, ["copilot", "-i", *options], [("Do you trust the files", b"\r"), YES]


def cline(home, entry, url):
    put(home / ".cline" / "data" / "settings" / "global-settings.json", {"telemetryOptOut": True})
    put(home / ".cline" / "data" / "settings" / "cline_mcp_settings.json", entry)
    find = [["cline", "auth", "openai-compatible", "-k", "none", "-m", "stand-in", "-b", f"{url}/v1"]]
    return {}, find, ["cline", "-P", "openai-compatible", "-m", "stand-in", ASK]


def llm(home, entry, url):
    put(home / "mcp.json", entry)
    model = {"model_id": "stand-in", "model_name": "stand-in", "api_base": f"{url}/v1", "supports_tools": True}
    put(home / "extra-openai-models.yaml", [model])
    environment = {"LLM_USER_PATH": str(home), "LLM_TOOLS_MCP_CONFIG_DIR": str(home), "OPENAI_API_KEY": "none"}
    # By default, llm allows only five rounds of calls, which is too few.
    return environment, [], ["llm", "-m", "stand-in", "-T", "MCP", "--chain-limit", "0", ASK]


def fast_agent(home, entry, url):
    config = {
        "generic": {"api_key": "none", "base_url": f"{url}/v1"},
        "logger": {"type": "none"},
    }
    put_yaml(home / "fastagent.config.yaml", config, entry)
    command = ["fast-agent", "--no-update-check", "go", "--servers", "zwave", "--model", "generic.stand-in", "--message", ASK]
    return {}, [["fast-agent", "--no-update-check", "check"]], command


def fast_agent_terminal(home, entry, url):
    return *fast_agent(home, entry, url), [(QUESTION, b" "), ("[*] Yes", b"\t\r")]


def vibe(home, entry, url):
    config = f"""
        active_model = "stand-in"
        enable_telemetry = false
        enable_update_checks = false
        providers = [{{ name = "local", api_base = "{url}/v1", api_key_env_var = "", backend = "generic" }}]
        models = [{{ name = "stand-in", provider = "local", alias = "stand-in" }}]
        """
    put(home / ".vibe" / "config.toml", config + entry)
    return {}, [], ["vibe", "-p", ASK, "--auto-approve", "--trust"]


# The keys are the names in the table of docs/MEASURED.md. Each entry has:
# - the host's function, and the host's id for `doctor --host`
# - the folder that the host is installed in, and its package
# - a pattern that the commands' output matches only if the host found the server (None if no command
#   shows that)
# - the expected answer to the question whether a door may be unlocked
HOSTS = {
    "Claude Code": (claude, "claude-code", "programs", "@anthropic-ai/claude-code", "Connected", "dismissed"),
    "Claude Code, in a terminal": (claude_terminal, "claude-code", "programs", "@anthropic-ai/claude-code", "Connected", "accepted"),
    "Claude Code, a hook accepts": (claude_hook, "claude-code", "programs", "@anthropic-ai/claude-code", "Connected", "accepted"),
    "Codex": (codex, "codex", "programs", "@openai/codex", "zwave .* enabled", "declined"),
    "Codex, in a terminal": (codex_terminal, "codex", "programs", "@openai/codex", "zwave .* enabled", "accepted"),
    "Codex, its app server": (codex_app_server, "codex", "programs", "@openai/codex", "zwave .* enabled", "accepted"),
    "Codex, full access": (codex_full_access, "codex", "programs", "@openai/codex", "zwave .* enabled", "declined"),
    "Gemini CLI": (gemini, "gemini-cli", "programs", "@google/gemini-cli", "zwave.* - Connected", "can't ask"),
    "OpenCode": (opencode, "opencode", "programs", "opencode-ai", "zwave .*connected", "can't ask"),
    "Continue CLI": (continues, "continue", "programs", "@continuedev/cli", None, "can't ask"),
    "GitHub Copilot CLI": (copilot, "copilot-cli", "programs", "@github/copilot", "zwave \\(local\\)", "declined"),
    "GitHub Copilot CLI, in a terminal": (copilot_terminal, "copilot-cli", "programs", "@github/copilot", "zwave \\(local\\)", "accepted"),
    "Cline CLI": (cline, "cline", "programs", "cline", None, "can't ask"),
    "llm": (llm, "llm", "llm", "llm", None, "can't ask"),
    "fast-agent": (fast_agent, "fast-agent", "fast-agent", "fast_agent_mcp", "zwave +STDIO", "dismissed"),
    "fast-agent, in a terminal": (fast_agent_terminal, "fast-agent", "fast-agent", "fast_agent_mcp", "zwave +STDIO", "accepted"),
    "Mistral Vibe": (vibe, "mistral-vibe", "mistral-vibe", "mistral_vibe", None, "can't ask"),
}
