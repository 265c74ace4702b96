"""Requests of users, checked before any work is done."""
