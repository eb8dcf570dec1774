"""Appearance and wording: color tokens, fonts, icons, signs, words, times."""
