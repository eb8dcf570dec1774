"""Parsers of texts that propose changes: each returns a draft plan.

They are pure functions.
"""
