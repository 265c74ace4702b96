"""Processes that give up rights before they work on what strangers sent."""
