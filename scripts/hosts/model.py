"""Stands in for a model, with the interfaces that hosts use: Anthropic's Messages, OpenAI's chat completions and
Responses, and Gemini's generateContent. Each can answer with a stream of events or with one document.

The stand-in makes the calls of a list, one in each turn, and then says that it is done. The number of results in the
conversation shows which turn it is. The stand-in records which of our tools it was offered, and the result of each
call. It is also the HTTP proxy that the host's environment variables name. As a proxy, it refuses every connection, and
records the address.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DONE = "That was all."


class Model(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, calls):
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls, self.offered, self.returned, self.refused = calls, set(), {}, set()
        self.finished = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_call(self, tools, results):
        """Returns the next call: the offered tool's name, the arguments, and the call's id. Returns None after the last
        call, and if the tool is not offered, as in a request for the conversation's title."""
        self.offered |= {tool for tool in tools if any(is_tool(tool, name) for name, _ in self.calls)}
        self.returned.update(enumerate(results))
        if len(results) < len(self.calls):
            name, arguments = self.calls[len(results)]
            for tool in tools:
                if is_tool(tool, name):
                    return tool, arguments, f"call_zwave{len(results)}"
            # Claude Code offers a server's tools only after the model has searched for them.
            if "ToolSearch" in tools:
                return "ToolSearch", {"query": name.replace("_", " "), "max_results": 5}, f"search{len(results)}"
            # With Mistral Vibe, the model writes programs that call tools.
            if "run_typescript" in tools:
                self.offered.add(name)
                code = f"async function main() {{ return await tools.mcp_zwave.{name}({json.dumps(arguments)}); }}"
                return "run_typescript", {"code": code}, f"call_zwave{len(results)}"
        else:
            self.finished.set()
        return None


def is_tool(tool, name):
    """Returns True if a host's name for a tool, such as "mcp__zwave__NAME", means our tool `name`."""
    return tool.endswith(name)


def text(content):
    """Returns the text of a result, whose form depends on the host."""
    if isinstance(content, list):
        return "\n".join(text(part) for part in content)
    if isinstance(content, dict):
        return text(content["text"]) if "text" in content else "\n".join(text(part) for part in content.values())
    return "" if content is None else str(content)


# One function for each interface. It reads a request, and returns the answer: a list of events, or one document.


def messages(body, model):
    contents = [message["content"] for message in body["messages"]]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    results = [
        (text(part.get("content")), part.get("is_error", False))
        for part in parts
        if part["type"] == "tool_result" and "zwave" in part["tool_use_id"]
    ]
    call = model.next_call([tool["name"] for tool in body.get("tools", [])], results)
    if call:
        name, arguments, key = call
        block = {"type": "tool_use", "id": key, "name": name, "input": {}}
        delta, final = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, {**block, "input": arguments}
    else:
        block = {"type": "text", "text": ""}
        delta, final = {"type": "text_delta", "text": DONE}, {"type": "text", "text": DONE}
    stop = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "usage": usage}
    if not body.get("stream"):
        return {**message, "content": [final], "stop_reason": stop, "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def completions(body, model):
    results = [(text(message["content"]), None) for message in body["messages"] if message["role"] == "tool"]
    call = model.next_call([tool["function"]["name"] for tool in body.get("tools") or [] if "function" in tool], results)
    message = {"role": "assistant", "content": None if call else DONE}
    if call:
        name, arguments, key = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"index": 0, "id": key, "type": "function", "function": function}]
    about = {"id": "chat_1", "created": 1, "model": body["model"]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    finish = "tool_calls" if call else "stop"
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {**about, "object": "chat.completion", "choices": [choice], "usage": usage}
    chunk = {**about, "object": "chat.completion.chunk"}
    return [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage},
        None,
    ]


def responses(body, model):
    items = body["input"] if isinstance(body["input"], list) else []
    results = [(text(item["output"]), None) for item in items if item.get("type") == "function_call_output"]
    spaces = {}
    for tool in body.get("tools") or []:
        # Codex groups a server's tools in a namespace.
        for member in tool.get("tools", [tool]):
            spaces[member.get("name", member["type"])] = tool["name"] if "tools" in tool else None
    call = model.next_call(list(spaces), results)
    if call:
        name, arguments, key = call
        item = {"type": "function_call", "id": "fc_1", "call_id": key, "name": name, "arguments": json.dumps(arguments)}
        item |= {"namespace": spaces[name]} if spaces[name] else {}
    else:
        content = [{"type": "output_text", "text": DONE, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": body["model"], "status": "completed"}
    response |= {"output": [item], "usage": usage}
    if not body.get("stream"):
        return response
    started = {**response, "status": "in_progress", "output": [], "usage": None}
    events = [
        {"type": "response.created", "response": started},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def generate(body, model):
    parts = [part for content in body["contents"] for part in content.get("parts", [])]
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    answers = [(answer["name"], answer["response"]) for answer in answers]
    ours = {name for name, _ in model.calls}
    results = [
        (text(reply.get("output", reply.get("error", reply))), "error" in reply)
        for name, reply in answers
        if any(is_tool(name, our_name) for our_name in ours)
    ]
    declared = [tool.get("functionDeclarations", []) for tool in body.get("tools") or []]
    tools = [function["name"] for functions in declared for function in functions]
    call = model.next_call(tools, results)
    part = {"functionCall": {"name": call[0], "args": call[1], "id": call[2]}} if call else {"text": DONE}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "stand-in"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        self.server.refused.add(self.path.removesuffix(":443"))
        self.send_error(403)
        self.close_connection = True

    def do_GET(self):
        if self.path.startswith("http"):
            return self.do_CONNECT()
        models = [{"id": "stand-in", "object": "model", "created": 1, "owned_by": "nobody"}]
        self.reply(json.dumps({"object": "list", "data": models, "models": []}) if "models" in self.path else None)

    do_HEAD = do_GET

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        if self.path.startswith("http"):
            return self.do_CONNECT()
        path, _, query = self.path.partition("?")
        if path.endswith("count_tokens"):
            return self.reply('{"input_tokens": 1}')
        if path.endswith("countTokens"):
            return self.reply('{"totalTokens": 1}')
        interfaces = {"messages": messages, "chat/completions": completions, "responses": responses}
        interfaces |= {"generateContent": generate, "streamGenerateContent": generate}
        readers = [read for end, read in interfaces.items() if path.endswith(end)]
        if not readers:
            return self.reply(None)
        answer = readers[0](json.loads(raw), self.server)
        if "alt=sse" in query:
            answer = [answer]
        if isinstance(answer, dict):
            return self.reply(json.dumps(answer))
        lines = []
        for event in answer:
            kind = f"event: {event['type']}\n" if event and "type" in event else ""
            lines.append(f"{kind}data: {json.dumps(event) if event else '[DONE]'}\n\n")
        self.reply("".join(lines), "text/event-stream")

    def reply(self, body, kind="application/json"):
        data = (body or '{"error": {"message": "not here", "type": "not_found"}}').encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
