"""The regulation as data and small pure functions: cards, drawing, wagers, odds, the lawful submission.

Nothing here knows of devices, storage, time or chance. Imports come from a short allow-list of the standard library
(`tests/test_tidy.py` holds it), and no float is ever made here.
"""
