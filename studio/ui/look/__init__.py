"""Appearance and wording: colour tokens, fonts, icons, signs, words, times."""
