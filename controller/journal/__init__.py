"""The journal: facts as rows, append-only and hash-chained, in one SQLite file or in memory.

The store knows rows, never what they mean: only `starting`, which adds them up to a state, `archive`, which knows a
closed day, and `audit`, which proves and explains them, import the core. Nothing here imports the engine.
`docs/journal.md` describes the files to the byte: others can verify them without this software.
"""
