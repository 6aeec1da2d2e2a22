"""Widgets: messages go up, method calls go down."""
