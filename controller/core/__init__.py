"""The table as a pure state machine: rounds, wagers, meters, awards and the money between them.

`decide` turns an input into a fact or a refusal; `evolve` turns a state and a fact into the next state, the same code
live and on replay. Nothing here knows a clock, a file, a generator or a float: time and chance are arguments.
"""
