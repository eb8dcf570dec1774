"""Widgets of the step review page: header, banners, diff, result editor."""
