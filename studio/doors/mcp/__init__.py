"""MCP server: agents' tool calls become plans and wait for review."""
