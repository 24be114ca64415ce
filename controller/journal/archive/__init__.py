"""Archive files: closed gaming days that have left the journal, compressed, each proven before a fact leaves.

`files` knows the format and `naming` where files lie, `leaving` says what may go, `packing` makes a file. `past` brings
facts back for a question, `whole` goes through all of them. `docs/journal.md` describes the files, `docs/operations.md`
what to do with them.
"""
