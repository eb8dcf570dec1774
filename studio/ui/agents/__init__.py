"""Agents: their connection, their gates and conversations with them."""
