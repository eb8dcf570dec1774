"""How things look and are said: tokens, fonts, icons, signs, words and times."""
