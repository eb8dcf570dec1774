"""Tide tables of North Sea harbours, and a warning before the water comes."""

__version__ = "1.4.0"
