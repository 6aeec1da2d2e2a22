"""Modal dialogs: the safe answer is the default, Esc gives it."""
