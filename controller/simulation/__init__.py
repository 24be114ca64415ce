"""`jackpotd simulate`: whole tables on virtual time, from one seed, with everything that can befall them.

The product's own code runs here, unchanged: core, engine, intake, outlets, commands, drivers and the journal. Around it
are a clock, a disk, serial lines, a broker and people that live in this process. No thread, no socket and no real time
may be used here.
"""
