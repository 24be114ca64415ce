"""The controller of a progressive jackpot table.

Arrows point inward: `cli` may import everything below it, `rules` imports nothing of ours.
"""
