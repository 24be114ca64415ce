"""Meters shared by several tables: whoever keeps one applies the tables' intents with the core's own meter rules."""
