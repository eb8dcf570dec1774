"""Clients for Codex, opencode, aider and Continue, and a scripted test model."""
