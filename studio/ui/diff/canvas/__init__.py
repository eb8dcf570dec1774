"""Scrolling canvas of a diff's rows, and its overview map."""
