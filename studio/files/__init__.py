"""File actions carried out at once, for programs that embed the engine; no door and no window loads it."""
