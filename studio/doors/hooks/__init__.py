"""Hooks of agents' clients: each tool use waits for a decision."""
