"""Views of money: meters as they are now, hits, awards and their fates, readings."""

from controller.journal.view_parts import DECIDING, dollars, exact, types

METERS = f"""
CREATE VIEW meters AS
WITH opened AS (
    SELECT o.value ->> 'id' AS meter, max(f.seq) AS seq
    FROM facts f, json_each(f.payload, '$.opened') o WHERE f.type = 'submission-filed' GROUP BY 1
), removed AS (
    SELECT r.value AS meter, max(f.seq) AS seq
    FROM facts f, json_each(f.payload, '$.removed') r WHERE f.type = 'submission-filed' GROUP BY 1
), changes AS (
    SELECT f.seq, f.at, m.value ->> 'id' AS meter, c.key, c.value
    FROM facts f, json_each(f.payload, '$.meters') m, json_each(m.value) c WHERE f.type IN ({types(DECIDING)})
    UNION ALL
    SELECT f.seq, f.at, o.value ->> 'id', c.key, c.value
    FROM facts f, json_each(f.payload, '$.opened') o, json_each(o.value) c WHERE f.type = 'submission-filed'
), newest AS (
    SELECT meter, changes.key, changes.value, max(changes.seq) AS seq, at
    FROM changes JOIN opened USING (meter) WHERE changes.seq >= opened.seq GROUP BY meter, changes.key
), meter_now AS (
    SELECT
        meter,
        max(CASE key WHEN 'kind' THEN value END) AS kind,
        max(CASE key WHEN 'wager' THEN value END) AS wager,
        coalesce(max(CASE key WHEN 'cycle' THEN value END), 1) AS cycle,
        coalesce(max(CASE key WHEN 'units' THEN value END), 0) AS units,
        coalesce(max(CASE key WHEN 'reserve' THEN value END), 0) AS reserve_units,
        coalesce(max(CASE key WHEN 'carry' THEN value END), 0) AS carry_units,
        coalesce(max(CASE key WHEN 'in_cents' THEN value END), 0) AS in_cents,
        coalesce(max(CASE key WHEN 'hits' THEN value END), 0) AS hits,
        coalesce(max(CASE key WHEN 'wins_cents' THEN value END), 0) AS wins_cents,
        coalesce(max(CASE key WHEN 'paid_cents' THEN value END), 0) AS paid_by_attendant_cents,
        max(CASE key WHEN 'filing' THEN value END) AS filing,
        max(CASE key WHEN 'commitment' THEN value END) AS commitment,
        max(seq) AS changed_seq,
        at AS changed_at
    FROM newest GROUP BY meter
)
SELECT
    meter, kind, wager, cycle,
    units / 1000000 AS display_cents,
    {dollars("units / 1000000")} AS display,
    units,
    {exact("units")} AS exact,
    reserve_units,
    {exact("reserve_units")} AS reserve,
    carry_units,
    {exact("carry_units")} AS carry,
    in_cents, hits, wins_cents, paid_by_attendant_cents,
    0 AS paid_automatically_cents,
    filing ->> 'reset_cents' AS reset_cents,
    filing ->> 'rate' AS rate_millionths,
    coalesce(filing ->> 'reserve_rate', 0) AS reserve_rate_millionths,
    filing ->> 'maximum_cents' AS must_hit_by_cents,
    commitment,
    removed.seq IS NULL OR removed.seq <= opened.seq AS filed,
    changed_seq, changed_at
FROM meter_now LEFT JOIN opened USING (meter) LEFT JOIN removed USING (meter)
"""  # noqa: S608 -- made of this package's own constants

AWARDS = f"""
CREATE VIEW awards AS
WITH made AS (
    SELECT f.seq, f.at, a.value AS award
    FROM facts f, json_each(f.payload, '$.awards') a WHERE f.type IN ('locked-out', 'hand-entered', 'link-answered')
), fate AS (
    SELECT
        e.value ->> 'award' AS award,
        e.value ->> 'fate' AS fate,
        e.value ->> 'amount_cents' AS amount_cents,
        max(f.seq) AS seq, f.at, f.type, f.payload
    FROM facts f, json_each(f.payload, '$.fates') e WHERE f.type IN ({types(DECIDING)}) GROUP BY 1
), award_now AS (
    SELECT
        made.award ->> 'id' AS id, made.seq, made.at, made.award,
        coalesce(fate.fate, made.award ->> 'fate', 'pending') AS fate,
        coalesce(fate.amount_cents, made.award ->> 'amount_cents') AS amount_cents,
        CASE WHEN fate.fate <> 'pending' THEN fate.seq END AS fate_seq,
        CASE WHEN fate.fate <> 'pending' THEN fate.at END AS fate_at,
        CASE WHEN fate.type = 'award-validated' THEN fate.payload END AS validation,
        CASE WHEN fate.fate <> 'pending' THEN fate.payload END AS ending
    FROM made LEFT JOIN fate ON fate.award = made.award ->> 'id'
)
SELECT
    id AS award, seq, at,
    award ->> 'kind' AS kind,
    award ->> 'meter' AS meter,
    award ->> 'wager' AS wager,
    award ->> 'outcome' AS outcome,
    award ->> 'listed' AS outcome_by_list,
    award ->> 'round' AS round,
    award ->> 'position' AS position,
    amount_cents,
    {dollars("amount_cents")} AS amount,
    award ->> 'amount_cents' AS first_amount_cents,
    fate, fate_seq, fate_at,
    coalesce(award ->> 'validate', 1) AS needs_validation,
    coalesce(award ->> 'second', 0) AS needs_second_person,
    validation ->> 'by' AS validated_by,
    validation ->> 'second' AS validated_with,
    validation ->> 'method' AS method,
    validation ->> 'slip' AS slip,
    CASE WHEN validation IS NULL THEN ending ->> 'by' END AS undone_by,
    CASE WHEN validation IS NULL THEN ending ->> 'second' END AS undone_with,
    CASE WHEN validation IS NULL THEN ending ->> 'reason' END AS undone_reason,
    award ->> 'hit' AS hit
FROM award_now
"""  # noqa: S608 -- made of this package's own constants

HITS = f"""
CREATE VIEW hits AS
WITH listed AS (
    SELECT f.seq, m.value ->> 'id' AS meter, h.value AS hit
    FROM facts f, json_each(f.payload, '$.meters') m, json_each(m.value, '$.listed') h
    WHERE f.type IN ({types(DECIDING)})
    UNION ALL
    SELECT f.seq, f.payload ->> 'meter', h.value
    FROM facts f, json_each(f.payload, '$.hits') h WHERE f.type = 'link-answered'
), made AS (
    SELECT hit ->> 'id' AS id, seq, meter, hit ->> 'amount_cents' AS amount_cents, hit
    FROM listed WHERE hit ->> 'seq' = seq
), share AS (
    SELECT
        hit,
        group_concat(CASE WHEN fate IN ('pending', 'paid') THEN award END, ' ') AS awards,
        group_concat(CASE WHEN fate IN ('pending', 'paid') THEN position END, ' ') AS positions,
        CASE
            WHEN max(fate = 'pending') THEN 'pending'
            WHEN max(fate = 'paid') THEN 'paid'
            ELSE max(fate)
        END AS fate,
        coalesce(sum(CASE WHEN fate IN ('pending', 'paid') THEN amount_cents END), 0) AS due_cents,
        coalesce(sum(CASE WHEN fate = 'paid' THEN amount_cents END), 0) AS paid_cents
    FROM awards WHERE hit IS NOT NULL GROUP BY hit
)
SELECT
    id AS hit, made.seq,
    made.hit ->> 'at' AS at,
    meter,
    CASE WHEN made.hit -> 'reveal' IS NULL THEN 'jackpot' ELSE 'mystery' END AS kind,
    made.hit ->> 'round' AS round,
    amount_cents,
    {dollars("amount_cents")} AS amount,
    share.fate, share.awards, share.positions, share.due_cents, share.paid_cents,
    coalesce(made.hit ->> 'from_meter', 1) AS from_meter,
    coalesce(made.hit ->> 'seed', 0) AS seed_units,
    coalesce(made.hit ->> 'released', 0) AS released_units,
    coalesce(made.hit ->> 'lack', 0) AS lack_units,
    made.hit ->> '$.reveal.cycle' AS cycle,
    made.hit ->> '$.reveal.value_cents' AS value_cents,
    made.hit ->> '$.reveal.nonce' AS nonce,
    made.hit ->> '$.reveal.commitment' AS commitment
FROM made LEFT JOIN share ON share.hit = made.id
"""  # noqa: S608 -- made of this package's own constants

READINGS = f"""
CREATE VIEW readings AS
WITH reading AS (
    SELECT
        f.payload ->> 'ended' AS day, f.seq, f.at,
        r.value ->> 'meter' AS meter,
        r.value ->> 'units' AS units,
        r.value ->> 'reserve' AS reserve_units,
        r.value ->> 'carry' AS carry_units,
        r.value ->> 'in_cents' AS in_cents,
        r.value ->> 'hits' AS hits,
        r.value ->> 'wins_cents' AS wins_cents,
        r.value ->> 'paid_cents' AS paid_by_attendant_cents,
        r.value ->> 'cycle' AS cycle
    FROM facts f, json_each(f.payload, '$.readings') r WHERE f.type = 'readings-taken'
)
SELECT
    day, meter, seq, at,
    units / 1000000 AS display_cents,
    {dollars("units / 1000000")} AS display,
    units,
    {exact("units")} AS exact,
    reserve_units, carry_units, in_cents, hits, wins_cents, paid_by_attendant_cents,
    0 AS paid_automatically_cents,
    cycle
FROM reading
"""  # noqa: S608 -- made of this package's own constants
