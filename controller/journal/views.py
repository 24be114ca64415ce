"""Views for people who query the journal with their own tools: each a complete CREATE VIEW statement.

Views are derived, so they have no schema version: every opening compares these texts with those in the file and, where
they differ, drops all views and creates these. `docs/auditing.md` explains them column by column.

Money is integers: cents, and units of 1e-8 dollars; beside them the same as text in dollars.
"""

from controller.journal import view_money, view_play

SQL: tuple[str, ...] = tuple(
    view.strip()
    for view in (
        view_money.METERS,
        view_money.AWARDS,
        view_money.HITS,
        view_money.READINGS,
        view_play.ROUNDS,
        view_play.WAGERS,
        view_play.CONTRIBUTIONS,
        view_play.ACTIONS,
    )
)
