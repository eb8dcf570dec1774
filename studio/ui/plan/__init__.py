"""Widgets of the plan page: step table, warnings, filters, paste preview."""
