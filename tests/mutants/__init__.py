"""The product with one bug planted at a time, and who finds it: the tests that are named for it, and the simulator.

`make mutants` plants every one (`python -m tests.mutants NAME …`: some) and writes who found it into docs/mutants.md.
"""
