"""What an auditor asks of a journal: is it whole, what did a day bring, how did an amount come about.

Like `starting`, this part of the journal knows what facts mean and imports the core. It only reads, and says what it
found as plain values: printing is the command line's.
"""
