"""Where the sessions of a link come from. Its library is an extra: a table without a link does not need it."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from controller.commands.derived import AskLink
from controller.link.chances import Sealed
from controller.link.sessions import Identity, Session
from controller.outlets.link import Meeting
from controller.rules.errors import BadInputError
from controller.vault import Vault
from controller.wire.link import LinkSettings


def sessions(settings: LinkSettings, vault: Vault | None, password: str | None) -> Meeting:
    """How to meet the link of a configuration."""
    _refuse_missing()
    from controller.link import postgres  # noqa: PLC0415 -- it is there now

    chances = Sealed(settings.name, vault)

    def meet(identity: Identity) -> AbstractAsyncContextManager[Session]:
        return postgres.session(settings, identity, chances, password=password)

    return meet


def derivations(settings: LinkSettings, password: str | None) -> AskLink:
    """How to ask the link of a configuration how a hit came about."""
    _refuse_missing()
    from controller.link.derived import derived_at  # noqa: PLC0415 -- it is there now

    return partial(derived_at, settings, password)


def _refuse_missing() -> None:
    try:
        import psycopg  # noqa: F401, PLC0415 -- the extra may be missing
    except ModuleNotFoundError as error:
        raise BadInputError(
            f"link: {error.name} is missing: install jackpotd with its extra, jackpotd[link]"
        ) from error
