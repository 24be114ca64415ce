"""The journal: facts as rows, append-only and hash-chained, in one SQLite file or in memory.

The store knows rows, never what they mean: only `starting`, which adds them up to a state, and `audit`, which proves
and explains them, import the core. Nothing here imports the engine. `docs/journal.md` describes the file to the byte:
others can verify it without this software.
"""
