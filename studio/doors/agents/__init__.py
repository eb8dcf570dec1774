"""Agents that we start, and a scripted model to test real clients."""
