"""The views for a terminal: functions that return `rich` renderables."""
