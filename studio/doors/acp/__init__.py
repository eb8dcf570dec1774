"""Agents that speak the Agent Client Protocol: talked with here, and what they change waits (design 7)."""
