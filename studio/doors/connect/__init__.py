"""Agents connected to Exacta Studio: entries in their own configuration, put there and taken out exactly."""
