"""Cost curves: what things cost against the length of a history, the number of signs, and the number of tables.

`python -m bench curves` measures and writes `docs/performance`; see `command`.
"""
