"""Agents in the window: connection, write-gate status and tests, chat sessions."""
