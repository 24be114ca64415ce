"""The settings of the way to a link: `[link]`."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

# Meters of one link: a baccarat table has two that can be shared, Heavenly 9 and its Must-Hit-By.
MeterName = Literal["harmony", "heavenly9", "must-hit-by"]


class LinkSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which meters of this table are shared, under which name, and in which database."""

    name: Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9-]{0,62}$")] = ""
    meter: MeterName | tuple[MeterName, ...] = ()
    # As libpq takes it: several hosts, target_session_attrs=read-write, sslmode=verify-full. The password comes as a
    # credential.
    dsn: str = ""
    # What a commit waits for: this server's disk (`on`; with a synchronous standby, also that one's), or until the
    # standby shows it too.
    synchronous_commit: Literal["on", "remote_apply"] = "on"
    standby: bool = False  # refuse a server that names no synchronous standby
    allow_not_durable: bool = False  # take a server that would acknowledge before it is durable: for tests only
    # Said in so many words, because everybody on the network could read, and change, what is said.
    allow_plain_text_over_the_network: bool = False

    def __post_init__(self) -> None:
        if not (self.name or self.meter or self.dsn):
            return
        for key, given in (("name", self.name), ("meter", self.meter), ("dsn", self.dsn)):
            if not given:
                raise ValueError(
                    f"{key} is missing: a link has a name, a meter or several, and the dsn of its database"
                )
        if len(set(self.meters)) < len(self.meters):
            raise ValueError("meter names one of them twice")

    @property
    def meters(self) -> tuple[str, ...]:
        """The meters that are shared."""
        return (self.meter,) if isinstance(self.meter, str) else self.meter

    @property
    def links(self) -> dict[str, str]:
        """The link of each meter that is shared."""
        return dict.fromkeys(self.meters, self.name)
