"""Appearance and display texts: theme, fonts, icons, states, formatted values."""
