"""Proposals: drafts checked step by step and stored as undecided plans."""
