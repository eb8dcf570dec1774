"""MCP server for agents: file reading, and changes as plans for review."""
