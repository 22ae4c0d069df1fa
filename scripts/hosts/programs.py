"""The hosts, each set up as its owner would, but for the model's address.

A host is a function of its home, the entry for the server, and the model's address. It says the
environment, the commands that find the server, and the one that has the model play; and where a person
sits at a terminal, what they see and press.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
ASK = "See to the house."
# What is seen of the question whether a door may be unlocked.
QUESTION = "Unlock Front Door?"
# A terminal that begins at yes.
YES = (QUESTION, b"\r")
TOOLS = ["list_zwave_devices", "control_zwave_device"]


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def claude(home, server, url):
    environment = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    allowed = ",".join(f"mcp__zwave__{tool}" for tool in TOOLS)
    find = [["claude", "mcp", "add", "zwave", "--", *server], ["claude", "mcp", "list"]]
    return environment, find, ["claude", "-p", ASK, "--allowedTools", allowed]


def claude_terminal(home, server, url):
    # What it asks on its first start is answered.
    known = {"hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": ["none"]}}
    put(home / ".claude.json", {**known, "projects": {str(home): {"hasTrustDialogAccepted": True}}})
    environment, find, command = claude(home, server, url)
    # The box is ticked, and below it stands what accepts.
    person = [(QUESTION, b" "), ("☒", b"\x1b[B"), ("❯", b"\r")]
    return environment, find, [word for word in command if word != "-p"], person


def claude_hook(home, server, url):
    answer = {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept", "content": {"allow": True}}}
    hook = {"type": "command", "command": f"echo '{json.dumps(answer)}'"}
    put(home / ".claude" / "settings.json", {"hooks": {"Elicitation": [{"hooks": [hook]}]}})
    return claude(home, server, url)


def codex(home, server, url):
    config = f"""
        model = "stand-in"
        model_provider = "local"
        check_for_update_on_startup = false
        analytics.enabled = false
        model_providers.local = {{ name = "local", base_url = "{url}/v1", wire_api = "responses" }}
        features.plugins = false
        features.apps = false
        """
    put(home / ".codex" / "config.toml", config)
    allowed = 'mcp_servers.zwave.default_tools_approval_mode="approve"'
    find = [["codex", "mcp", "add", "zwave", "--", *server], ["codex", "mcp", "list"]]
    return {}, find, ["codex", "exec", "--skip-git-repo-check", "-c", allowed, ASK]


def codex_terminal(home, server, url):
    environment, find, (_, _, _, *options) = codex(home, server, url)
    return environment, find, ["codex", *options], [YES]


def codex_full_access(home, server, url):
    environment, find, _ = codex(home, server, url)
    return environment, find, ["codex", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", ASK]


def codex_app_server(home, server, url):
    environment, find, _ = codex(home, server, url)
    return environment, find, [sys.executable, HERE / "editor.py", ASK]


def gemini(home, server, url):
    settings = {
        "mcpServers": {"zwave": {"command": server[0], "args": server[1:]}},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    put(home / ".gemini" / "settings.json", settings)
    environment = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return environment, [["gemini", "mcp", "list"]], ["gemini", "-p", ASK, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]


def opencode(home, server, url):
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    config = {
        "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"stand-in": {}}}},
        "mcp": {"zwave": {"type": "local", "command": server}},
        "autoupdate": False,
        "share": "disabled",
    }
    put(home / "opencode.json", config)
    environment = {"OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return environment, [["opencode", "mcp", "list"]], ["opencode", "run", "-m", "local/stand-in", ASK]


def continues(home, server, url):
    model = {"name": "stand-in", "provider": "openai", "model": "stand-in", "apiBase": f"{url}/v1", "apiKey": "none"}
    config = {
        "name": "local",
        "version": "1.0.0",
        "schema": "v1",
        "models": [{**model, "roles": ["chat"], "capabilities": ["tool_use"]}],
        "mcpServers": [{"name": "zwave", "command": server[0], "args": server[1:]}],
    }
    # Its YAML may be JSON.
    put(home / "config.yaml", config)
    return {"CONTINUE_TELEMETRY_ENABLED": "0"}, [], ["cn", "-p", ASK, "--config", home / "config.yaml", "--auto"]


def copilot(home, server, url):
    entry = {"type": "local", "command": server[0], "args": server[1:], "tools": ["*"]}
    put(home / ".copilot" / "mcp-config.json", {"mcpServers": {"zwave": entry}})
    provider = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": "none"}
    environment = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    environment |= {"COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
    return environment, [["copilot", "mcp", "list"]], ["copilot", "-p", ASK, "--allow-all-tools"]


def copilot_terminal(home, server, url):
    environment, find, (_, _, *options) = copilot(home, server, url)
    return environment, find, ["copilot", "-i", *options], [("Do you trust the files", b"\r"), YES]


def cline(home, server, url):
    put(home / ".cline" / "data" / "settings" / "global-settings.json", {"telemetryOptOut": True})
    find = [
        ["cline", "auth", "openai-compatible", "-k", "none", "-m", "stand-in", "-b", f"{url}/v1"],
        ["cline", "mcp", "install", "zwave", "--yes", "--", *server],
    ]
    return {}, find, ["cline", "-P", "openai-compatible", "-m", "stand-in", ASK]


def llm(home, server, url):
    put(home / "mcp.json", {"mcpServers": {"zwave": {"command": server[0], "args": server[1:]}}})
    model = {"model_id": "stand-in", "model_name": "stand-in", "api_base": f"{url}/v1", "supports_tools": True}
    put(home / "extra-openai-models.yaml", [model])
    environment = {"LLM_USER_PATH": str(home), "LLM_TOOLS_MCP_CONFIG_DIR": str(home), "OPENAI_API_KEY": "none"}
    # The limit of five rounds would be reached.
    return environment, [], ["llm", "-m", "stand-in", "-T", "MCP", "--chain-limit", "0", ASK]


def fast_agent(home, server, url):
    config = {
        "mcp": {"servers": {"zwave": {"command": server[0], "args": server[1:]}}},
        "generic": {"api_key": "none", "base_url": f"{url}/v1"},
        "logger": {"type": "none"},
    }
    put(home / "fastagent.config.yaml", config)
    play = ["fast-agent", "--no-update-check", "go", "--servers", "zwave", "--model", "generic.stand-in", "--message", ASK]
    return {}, [["fast-agent", "--no-update-check", "check"]], play


def fast_agent_terminal(home, server, url):
    return *fast_agent(home, server, url), [(QUESTION, b" "), ("[*] Yes", b"\t\r")]


def vibe(home, server, url):
    config = f"""
        active_model = "stand-in"
        enable_telemetry = false
        enable_update_checks = false
        providers = [{{ name = "local", api_base = "{url}/v1", api_key_env_var = "", backend = "generic" }}]
        models = [{{ name = "stand-in", provider = "local", alias = "stand-in" }}]
        """
    put(home / ".vibe" / "config.toml", config)
    arguments = [f"--arg={word}" for word in server[1:]]
    find = [["vibe", "mcp", "add", "zwave", "--transport", "stdio", "--command", server[0], *arguments]]
    return {}, find, ["vibe", "-p", ASK, "--auto-approve", "--trust"]


# By name: where it is installed, the package, what finds it (where a command of
# its own does), and what it makes of a question to a person: it can't ask, says no, or yes.
HOSTS = {
    "Claude Code": (claude, "programs", "@anthropic-ai/claude-code", "Connected", "dismissed"),
    "Claude Code, in a terminal": (claude_terminal, "programs", "@anthropic-ai/claude-code", "Connected", "accepted"),
    "Claude Code, a hook accepts": (claude_hook, "programs", "@anthropic-ai/claude-code", "Connected", "accepted"),
    "Codex": (codex, "programs", "@openai/codex", "zwave .* enabled", "declined"),
    "Codex, in a terminal": (codex_terminal, "programs", "@openai/codex", "zwave .* enabled", "accepted"),
    "Codex, its app server": (codex_app_server, "programs", "@openai/codex", "zwave .* enabled", "accepted"),
    "Codex, full access": (codex_full_access, "programs", "@openai/codex", "zwave .* enabled", "declined"),
    "Gemini CLI": (gemini, "programs", "@google/gemini-cli", "zwave.* - Connected", "can't ask"),
    "OpenCode": (opencode, "programs", "opencode-ai", "zwave .*connected", "can't ask"),
    "Continue CLI": (continues, "programs", "@continuedev/cli", None, "can't ask"),
    "GitHub Copilot CLI": (copilot, "programs", "@github/copilot", "zwave \\(local\\)", "declined"),
    "GitHub Copilot CLI, in a terminal": (copilot_terminal, "programs", "@github/copilot", "zwave \\(local\\)", "accepted"),
    "Cline CLI": (cline, "programs", "cline", "Installed MCP server zwave", "can't ask"),
    "llm": (llm, "llm", "llm", None, "can't ask"),
    "fast-agent": (fast_agent, "fast-agent", "fast_agent_mcp", "zwave +STDIO", "dismissed"),
    "fast-agent, in a terminal": (fast_agent_terminal, "fast-agent", "fast_agent_mcp", "zwave +STDIO", "accepted"),
    "Mistral Vibe": (vibe, "mistral-vibe", "mistral_vibe", "zwave", "can't ask"),
}
