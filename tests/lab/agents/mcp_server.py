"""A server of one tool, by hand: `note` says back the text it was given. Run by clients, over standard input.

It speaks the older protocol, the one that every client falls back to; no SDK, so that what a client does
with the entry of a server is seen without any of ours.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = "note"


def answer(method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None where this server doesn't know the method."""
    if method == "initialize":
        return {
            "protocolVersion": parameters["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "note", "version": "1"},
        }
    if method == "tools/list":
        fields = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return {"tools": [{"name": TOOL, "description": "Take a note.", "inputSchema": fields}]}
    if method == "tools/call":
        text = parameters["arguments"]["text"]
        return {
            "content": [{"type": "text", "text": f"As text: {text}"}],
            "structuredContent": {"noted": text},
        }
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        if result is None:
            outcome = {"error": {"code": -32601, "message": "Method not found"}}
        else:
            outcome = {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)


if __name__ == "__main__":
    main()
