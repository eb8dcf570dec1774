"""Definitions of supported agents: configuration files, hooks, tools and test setup."""
