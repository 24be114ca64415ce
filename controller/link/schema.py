"""The tables of links in PostgreSQL, and how an older form of them becomes this one.

Meters are the hot rows: small, updated in place, and locked while an intent is decided. The ledger only grows: triggers
refuse to change or remove a line, for whoever does not own the tables.
"""

from typing import LiteralString

SCHEMA = "jackpotd"
VERSION = 1

# Each step leads from one version to the next. A step that was ever released is never changed.
STEPS: tuple[LiteralString, ...] = (
    """
CREATE SCHEMA IF NOT EXISTS jackpotd;

CREATE TABLE jackpotd.version (version integer NOT NULL);
INSERT INTO jackpotd.version VALUES (0);

CREATE TABLE jackpotd.meters (
    link text NOT NULL,
    meter text NOT NULL,
    site text NOT NULL,
    wager text NOT NULL,         -- with its paytable, as every table of the link files it
    stake_cents bigint NOT NULL,
    filed text NOT NULL,         -- JSON: the numbers as filed
    opened text NOT NULL,        -- JSON: the meter as it was opened, before the first line
    seq bigint NOT NULL,         -- of the last line
    hash bytea NOT NULL,         -- of the last line; 32 zeros before the first
    state text NOT NULL,         -- JSON: the meter without its hits; sealed values only
    hits text NOT NULL,          -- JSON: the last hits, and those not yet settled
    PRIMARY KEY (link, meter)
) WITH (fillfactor = 40);        -- room to update a row in place, over and over

CREATE TABLE jackpotd.tables (
    link text NOT NULL,
    name text NOT NULL,          -- site/table
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz,         -- when its controller last proved that it can commit
    PRIMARY KEY (link, name)
);

CREATE TABLE jackpotd.ledger (
    link text NOT NULL,
    meter text NOT NULL,
    seq bigint NOT NULL,
    at text NOT NULL,            -- by the clock of the table that asked
    round bigint NOT NULL,       -- of that table
    kind text NOT NULL,
    version integer NOT NULL,
    payload text NOT NULL,       -- JSON
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,          -- of the table, as in the payload
    intent text NOT NULL,        -- the same
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (link, meter, seq),
    UNIQUE (link, name, intent),
    FOREIGN KEY (link, name) REFERENCES jackpotd.tables (link, name)
);
-- What a table has done, the newest at hand however long the ledger is; and no round contributes twice.
CREATE INDEX ledger_table ON jackpotd.ledger (link, meter, name, seq);
CREATE UNIQUE INDEX ledger_once ON jackpotd.ledger (link, meter, name, round) WHERE kind = 'contribute';

CREATE FUNCTION jackpotd.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger of a link only grows';
END $$;
CREATE TRIGGER ledger_only_grows BEFORE UPDATE OR DELETE ON jackpotd.ledger
    FOR EACH ROW EXECUTE FUNCTION jackpotd.refuse();
CREATE TRIGGER ledger_is_kept BEFORE TRUNCATE ON jackpotd.ledger
    FOR EACH STATEMENT EXECUTE FUNCTION jackpotd.refuse();
-- A meter moves by one line at a time, and only to what that line says.
CREATE FUNCTION jackpotd.follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq <> OLD.seq + 1 OR NOT EXISTS (
        SELECT FROM jackpotd.ledger l
        WHERE l.link = NEW.link AND l.meter = NEW.meter AND l.seq = NEW.seq AND l.hash = NEW.hash
            AND l.prev_hash = OLD.hash
            AND (l.payload::json -> 'after' ->> 'units')::numeric = coalesce((NEW.state::json ->> 'units')::numeric, 0)
    ) THEN
        RAISE EXCEPTION 'a meter of a link moves only with the next line of its ledger';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER meters_follow BEFORE UPDATE ON jackpotd.meters
    FOR EACH ROW EXECUTE FUNCTION jackpotd.follow();
CREATE TRIGGER meters_are_kept BEFORE DELETE ON jackpotd.meters
    FOR EACH ROW EXECUTE FUNCTION jackpotd.refuse();
""",
)

# What a controller needs, and no more: it cannot add a table or a meter, nor change a line.
RIGHTS: tuple[LiteralString, ...] = (
    "GRANT USAGE ON SCHEMA jackpotd TO {role}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA jackpotd TO {role}",
    "GRANT INSERT ON jackpotd.ledger TO {role}",
    "GRANT UPDATE (seq, hash, state, hits) ON jackpotd.meters TO {role}",
    "GRANT UPDATE (seen_at) ON jackpotd.tables TO {role}",
)
