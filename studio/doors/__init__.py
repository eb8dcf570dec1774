"""Entry points: command line, hooks, MCP, ACP and inbox.

Each translates requests into calls of the engine's proposer side.
"""
