"""Definitions of the agents that can be connected: one record each."""
