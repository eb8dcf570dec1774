"""Interfaces to users and agents: command line, hooks, MCP, ACP, inbox, setup.

Each translates requests into calls of the engine's proposer side.
"""
