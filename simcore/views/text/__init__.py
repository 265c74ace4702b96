"""The views as a terminal shows them: functions that return what `rich` prints."""
