"""Views of play: rounds, wagers that were in, what each gave to each meter, and what people did."""

from controller.journal.view_parts import dollars, exact

ROUNDS = """
CREATE VIEW rounds AS
WITH opened AS (
    SELECT number, min(seq) AS seq, at FROM (
        SELECT round AS number, seq, at FROM facts WHERE type IN ('table-opened', 'reopened')
        UNION ALL
        SELECT round + 1, seq, at FROM facts WHERE type = 'round-voided'
    ) GROUP BY number
), locked AS (
    SELECT number, min(seq) AS seq, at, cause, wagers FROM (
        SELECT round AS number, seq, at, payload ->> 'cause' AS cause, payload -> 'wagers' AS wagers
        FROM facts WHERE type = 'locked-out'
        UNION ALL
        SELECT round + (type = 'round-voided'), seq, at, 'switch', '[]' FROM facts
        WHERE type IN ('table-opened', 'reopened', 'round-voided', 'simulated-ended') AND payload ->> 'phase' = 'locked'
        UNION ALL
        SELECT round, seq, at, 'switch', '[]' FROM facts WHERE type = 'device-changed' AND payload ->> 'locked'
    ) GROUP BY number
), hand AS (
    SELECT round AS number, max(seq) AS seq, at, payload FROM facts WHERE type = 'hand-entered' GROUP BY round
), voided AS (
    SELECT round AS number, seq, payload FROM facts WHERE type = 'round-voided'
)
SELECT
    number,
    opened.seq AS opened_seq, opened.at AS opened_at,
    locked.seq AS locked_seq, locked.at AS locked_at, locked.cause,
    (SELECT count(*) FROM json_each(locked.wagers)) AS wagers,
    (SELECT coalesce(sum(value ->> 'stake_cents'), 0) FROM json_each(locked.wagers)) AS money_in_cents,
    (SELECT group_concat(value, ' ') FROM json_each(hand.payload, '$.player')) AS player,
    (SELECT group_concat(value, ' ') FROM json_each(hand.payload, '$.banker')) AS banker,
    coalesce(hand.payload ->> 'complete', 0) AS complete,
    hand.seq AS hand_seq, hand.at AS hand_at,
    hand.payload ->> 'source' AS hand_source,
    hand.payload ->> 'by' AS hand_entered_by,
    coalesce(hand.payload ->> 'late', 0) AS late,
    coalesce(hand.payload ->> 'corrected', 0) AS corrected,
    voided.seq IS NOT NULL AS voided, voided.seq AS voided_seq,
    voided.payload ->> 'by' AS voided_by,
    voided.payload ->> 'reason' AS void_reason
FROM opened
LEFT JOIN locked USING (number)
LEFT JOIN hand USING (number)
LEFT JOIN voided USING (number)
"""

# Where a wager went back: taken out alone (not while its round was open: then it never was in), or with its round.
GONE = """
taken_out AS (
    SELECT round, payload ->> 'position' AS position, payload ->> 'wager' AS wager, seq
    FROM facts WHERE type = 'wager-taken-out' AND payload -> 'withdrawn' IS NULL
), voided AS (
    SELECT round, seq FROM facts WHERE type = 'round-voided'
)
"""

WAGERS = f"""
CREATE VIEW wagers AS
WITH {GONE}, wager_in AS (
    SELECT
        f.seq, f.at, f.round,
        w.value ->> 'position' AS position,
        w.value ->> 'wager' AS wager,
        w.value ->> 'stake_cents' AS stake_cents,
        w.value ->> 'source' AS source,
        w.value ->> 'placed' AS placed_seq
    FROM facts f, json_each(f.payload, '$.wagers') w WHERE f.type = 'locked-out'
)
SELECT
    wager_in.round, wager_in.seq, wager_in.at, wager_in.position, wager_in.wager, stake_cents,
    {dollars("stake_cents")} AS stake,
    source, placed_seq, placed.at AS placed_at,
    coalesce(taken_out.seq, voided.seq) IS NOT NULL AS given_back,
    coalesce(taken_out.seq, voided.seq) AS given_back_seq,
    CASE WHEN taken_out.seq IS NOT NULL THEN 'taken out' WHEN voided.seq IS NOT NULL THEN 'voided' END AS given_back_how
FROM wager_in
LEFT JOIN facts placed ON placed.seq = wager_in.placed_seq
LEFT JOIN taken_out USING (round, position, wager)
LEFT JOIN voided USING (round)
"""  # noqa: S608 -- made of this package's own constants

CONTRIBUTIONS = f"""
CREATE VIEW contributions AS
WITH {GONE}, contribution AS (
    SELECT
        f.seq, f.at, f.round,
        w.key AS place,
        w.value ->> 'position' AS position,
        w.value ->> 'wager' AS wager,
        w.value ->> 'stake_cents' AS stake_cents,
        w.value ->> 'placed' AS placed_seq,
        s.value ->> 0 AS meter,
        s.value ->> 1 AS units,
        s.value ->> 2 AS reserve_units,
        s.value ->> 3 AS cycle
    FROM facts f, json_each(f.payload, '$.wagers') w, json_each(w.value, '$.shares') s WHERE f.type = 'locked-out'
)
SELECT
    contribution.round, contribution.seq, at, place, contribution.position, contribution.wager, stake_cents,
    meter, cycle,
    units / stake_cents AS rate_millionths,
    units,
    {exact("units")} AS dollars,
    reserve_units,
    {exact("reserve_units")} AS reserve_dollars,
    placed_seq,
    coalesce(taken_out.seq, voided.seq) IS NOT NULL AS given_back,
    coalesce(taken_out.seq, voided.seq) AS given_back_seq,
    CASE WHEN taken_out.seq IS NOT NULL THEN 'taken out' WHEN voided.seq IS NOT NULL THEN 'voided' END AS given_back_how
FROM contribution
LEFT JOIN taken_out USING (round, position, wager)
LEFT JOIN voided USING (round)
"""  # noqa: S608 -- made of this package's own constants

ACTIONS = """
CREATE VIEW actions AS
SELECT
    seq, at, round,
    type AS action,
    payload ->> 'by' AS person,
    payload ->> 'second' AS second_person,
    payload ->> 'reason' AS reason,
    payload ->> 'reference' AS reference,
    payload ->> 'award' AS award,
    payload ->> 'operator' AS operator,
    payload ->> 'meter' AS meter,
    payload ->> 'position' AS position,
    payload ->> 'wager' AS wager,
    payload ->> 'delta_cents' AS delta_cents,
    payload ->> 'refusal' AS refusal,
    payload ->> 'method' AS method,
    payload ->> 'slip' AS slip,
    payload -> 'player' AS player,
    payload -> 'banker' AS banker
FROM facts WHERE payload ->> 'by' IS NOT NULL
"""
