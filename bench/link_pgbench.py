"""The same transaction by pgbench, the server's own measuring tool in C."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import psycopg

from bench.link_place import LINK, METER, Sample
from bench.link_ways import HASH
from tests.link.server import programs

TRANSACTIONS = 900  # of a block, over all clients; not a time, which a busy machine spends on connecting
_RATE = re.compile(r"^tps = ([0-9.]+) \(without initial connection time\)", re.MULTILINE)
# What was read is needed for what is written, and pgbench reads nothing inside a pipeline: so it makes four round
# trips, of which only the last is a pipeline.
_SCRIPT = f"""\
\\set intent random(1, 9000000000000000000)
BEGIN;
SELECT seq, hash, state FROM jackpotd.meters WHERE link = '{LINK}' AND meter = '{METER}' FOR UPDATE \\gset
SELECT seq, hash, payload FROM jackpotd.ledger WHERE link = '{LINK}' AND name = :client_id AND intent = :intent;
\\set next :seq + 1
\\startpipeline
INSERT INTO jackpotd.ledger (link, meter, seq, at, round, kind, version, payload, prev_hash, hash, name, intent)
VALUES ('{LINK}', '{METER}', :next, :at, :next, 'contribute', 1, :payload, :hash, :new_hash, :client_id, :intent);
UPDATE jackpotd.meters SET seq = :next, hash = :new_hash, state = :meter WHERE link = '{LINK}' AND meter = '{METER}';
COMMIT;
\\endpipeline
"""  # noqa: S608 -- our own names


MOST_CLIENTS = 128
_CLIENTS = "INSERT INTO jackpotd.tables (link, name) SELECT %s, number FROM generate_series(0, %s) number"


class Ran(NamedTuple):
    """A block of pgbench."""

    rate: float
    taken: list[float]  # seconds of each transaction


class Pgbench:
    """pgbench on a database of its own."""

    def __init__(self, folder: Path, dsn: str, sample: Sample, at: str) -> None:
        self._folder = folder
        self._dsn = dsn
        self._script = folder / "lock-out.sql"
        self._script.write_text(_SCRIPT)
        with psycopg.connect(dsn) as connection:  # its clients are its tables, by their numbers
            connection.execute(_CLIENTS, (LINK, MOST_CLIENTS - 1))
        self._values = {"payload": sample.payload, "meter": sample.state, "new_hash": f"\\x{HASH.hex()}", "at": at}

    def block(self, clients: int, threads: int) -> Ran:
        """So many clients, with prepared statements."""
        defined = [word for name, value in self._values.items() for word in ("-D", f"{name}={value}")]
        command = [
            *(str(programs() / "pgbench"), "--no-vacuum", "--protocol=prepared", f"--file={self._script}"),
            *(f"--client={clients}", f"--jobs={threads}", f"--transactions={TRANSACTIONS // clients}", "--log"),
            *defined,
            self._dsn,
        ]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        found = _RATE.search(done.stdout)
        if done.returncode or found is None:
            raise RuntimeError(f"pgbench fails: {done.stdout}{done.stderr}")
        taken = []
        for log in self._folder.glob("pgbench_log.*"):
            taken += [int(line.split()[2]) / 1e6 for line in log.read_text().splitlines()]
            log.unlink()
        return Ran(float(found[1]), taken)
