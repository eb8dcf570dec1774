"""Scrolling diff canvas: layout, painting, comments, input, inline editing, overview map."""
