"""The controller as one process: what it is made of, in which order it starts and stops."""
