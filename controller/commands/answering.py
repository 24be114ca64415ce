"""Commands answered, one by one in this order: an id, not retained, not asked before, not old, who, allowed, done.

What reaches the core is remembered there with its answer, over restarts too, and is told again from its fact. What does
not is kept for a while in memory.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from controller.commands import queries, replies, requests
from controller.commands.asking import NoFurtherError, Question, question, refuse_age, who
from controller.commands.derived import AskLink
from controller.commands.gate import Gate
from controller.commands.looks import Looks, TooLongError
from controller.commands.previews import BadPreviewError, preview
from controller.commands.requests import MOST_CLIENT, NOBODY, Asked, BadRequestError
from controller.commands.slips import slip
from controller.commands.telling import Place, Telling
from controller.core.facts import Fact, OperatorWasChanged
from controller.core.inputs import Input, Person
from controller.core.state import Seen
from controller.core.times import stamp
from controller.engine import Answer, Clock, EngineStoppedError
from controller.journal.audit.stored import Stored, latest
from controller.journal.errors import JournalError
from controller.journal.reading import JournalReader
from controller.link.sessions import Shown
from controller.people.pins import BadPinError, Elsewhere, refuse_bad_form
from controller.people.signing_in import NotLetIn, SigningIn, Table
from controller.rules.errors import BadInputError
from controller.wire import commands as wire
from controller.wire.commands import REPLIES, Request


class Commands:
    """Answers the commands of one table. `reader` opens its journal for reading."""

    def __init__(  # noqa: PLR0913 -- all that commands ask
        self,
        engine: Table,
        signing_in: SigningIn,
        reader: Callable[[], JournalReader],
        clock: Clock,
        epoch: int,
        *,
        links: Mapping[str, str] = {},
        linked: Callable[[], Mapping[str, Shown]] = dict,
        ask_link: AskLink | None = None,
        elsewhere: Elsewhere = asyncio.to_thread,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._signing_in = signing_in
        self._looks = Looks(reader, elsewhere=elsewhere)
        self._clock = clock
        self._links = links  # of the configuration, by meter
        self._ask_link = ask_link
        self._linked = linked  # how linked meters were last seen
        self._telling = Telling(engine, clock, epoch)
        self._gate = Gate(seconds)
        self._under_way: dict[str, asyncio.Event] = {}
        self._doing: set[asyncio.Task[bytes]] = set()

    async def answer(self, client: str, name: str, payload: bytes, *, retained: bool) -> tuple[str, bytes] | None:
        """The id and the reply of a command; none where there is no id that a reply could go to."""
        id_ = requests.id_of(payload)
        if id_ is None:
            return None
        why = self._gate.shut(client, name)
        if why:
            return id_, self._telling.refusal(name, id_, "stale", why)
        with self._gate.passing(client, name):
            return id_, await self._answer(client, name, id_, payload, retained=retained)

    async def _answer(self, client: str, name: str, id_: str, payload: bytes, *, retained: bool) -> bytes:
        refusal = self._telling.refusal
        if retained:
            return refusal(name, id_, "stale", "a command is never retained: send it without")
        try:
            asked = question(client, name, id_, payload)
        except BadRequestError as error:
            return refusal(name, id_, "bad-request", str(error))
        while (other := self._under_way.get(asked.key)) is not None:
            await other.wait()  # the same once more, while the first is under way: it gets that one's reply
        self._under_way[asked.key] = asyncio.Event()
        try:
            return await self._once(asked)
        except EngineStoppedError as error:
            return refusal(name, id_, "faulted", f"the controller has {error}: send it again with the same id")
        except (JournalError, TooLongError) as error:
            return refusal(name, id_, "faulted", f"the journal cannot be read: {error}")
        finally:
            self._under_way.pop(asked.key).set()

    async def _once(self, asked: Question) -> bytes:
        """The reply given before, or a new one, kept unless a fact stands for it."""
        request = asked.request
        if isinstance(request, wire.Login):  # a repetition of it is another attempt
            return await self._login(asked, request)
        reused, reply = self._telling.kept(asked)
        if reply is not None:
            return reply
        seen = None if reused else self._engine.state.answered(asked.key)
        if seen is not None:
            before = await self._looks.fact(seen.seq)
            reused = not self._is_same(asked, seen, before)
            if not reused and not await self._is_unfinished(request, seen, before):
                return await self._told_again(asked, seen, before)
        try:
            refuse_age(request, self._clock)
            by, second = await who(asked, self._signing_in)
            if reused:
                return await self._reused(asked, by, second, known=seen is not None)
            return await self._new(asked, by, second)
        except NoFurtherError as error:
            refusal = self._telling.refusal(asked.name, request.id, error.error, str(error))
            return refusal if reused else self._telling.keep(asked, refusal)

    # -- asked before --

    def _is_same(self, asked: Question, seen: Seen, before: Stored | None) -> bool:
        """Whether this says what the command said that had this id before. Of an archived one it is taken to."""
        if before is None:
            return True
        nobody = Asked(asked.key, stamp(self._clock.now()), NOBODY, None, self._links)
        return requests.matches(asked.request, nobody, self._engine.state, before, seen.digest)

    async def _is_unfinished(self, request: Request, seen: Seen, before: Stored | None) -> bool:
        """Whether an operator was added and the controller died before it kept the PIN. That takes who may give one."""
        if not isinstance(request, wire.OperatorAdd) or seen.refusal or before is None:
            return False
        return await self._looks.glance(lambda journal: _lacks_pin(journal, request.operator, before))

    async def _told_again(self, asked: Question, seen: Seen, before: Stored | None) -> bytes:
        refused = (seen.refusal, seen.why)
        if before is None:
            return self._telling.reply(asked.name, asked.request.id, {}, Place(seen.seq, seen.at), refused)
        return await self._told(asked, Place(seen.seq, before.at), before.fact, refused)

    async def _reused(self, asked: Question, by: Person, second: Person | None, *, known: bool) -> bytes:
        """Refuse an id that had another command, and let the core record it where it knows the first."""
        found = self._possible(asked, by, second)
        if known and found:
            await self._engine.submit(found[0])
        why = "this id was used for another command: a new command takes a new id"
        return self._telling.refusal(asked.name, asked.request.id, "bad-request", why)

    # -- asked for the first time --

    async def _login(self, asked: Question, request: wire.Login) -> bytes:
        try:
            refuse_age(request, self._clock)
        except NoFurtherError as error:
            return self._telling.refusal(asked.name, request.id, error.error, str(error))
        session = await self._signing_in.login(request.operator, request.pin, asked.client, request.origin)
        if isinstance(session, NotLetIn):
            return self._telling.reply(asked.name, request.id, {}, refused=(session.error, session.message))
        given = {
            "token": session.token,
            "role": session.person.role,
            "name": self._engine.state.operators[session.person.id].name,
            "expires": stamp(self._clock.now() + session.seconds * 1_000_000),
            "seconds": session.seconds,
        }
        return self._telling.reply(asked.name, request.id, given)

    async def _new(self, asked: Question, by: Person, second: Person | None) -> bytes:
        request = asked.request
        if isinstance(request, wire.Logout):
            self._signing_in.sign_out(request.token, asked.client)
            return self._telling.keep(asked, self._telling.reply(asked.name, request.id, {}))
        if isinstance(request, wire.Query):
            return await self._query(asked, request)
        if isinstance(request, wire.PreviewHand):
            return self._preview(asked, request)
        # To the end even if nobody waits for the reply any more: a lost broker must not part a PIN from its operator.
        doing = asyncio.create_task(self._done(asked, by, second), name=f"doing {asked.name}")
        self._doing.add(doing)
        doing.add_done_callback(self._doing.discard)
        return await asyncio.shield(doing)

    def _preview(self, asked: Question, request: wire.PreviewHand) -> bytes:
        """What a hand would settle. It is not kept: the same question later may have another answer."""
        state, now = self._engine.state, stamp(self._clock.now())
        try:
            given = preview(request, asked.key, now, state, self._linked())
        except BadPreviewError as error:
            return self._telling.reply(asked.name, request.id, {}, refused=(error.error, str(error)))
        return self._telling.reply(asked.name, request.id, given, Place(state.seq, now))

    def _possible(self, asked: Question, by: Person, second: Person | None) -> list[Input]:
        who_and_when = Asked(asked.key, stamp(self._clock.now()), by, second, self._links)
        return requests.possible(asked.request, who_and_when, self._engine.state)

    async def _done(self, asked: Question, by: Person, second: Person | None) -> bytes:
        request = asked.request
        if isinstance(request, wire.OperatorAdd):
            try:
                refuse_bad_form(request.pin)
            except BadPinError as error:
                raise NoFurtherError("bad-request", str(error)) from error
        found = self._possible(asked, by, second)
        if not found:
            named = getattr(request, "operator", "")[:MOST_CLIENT]
            raise NoFurtherError("unknown", f"there is no operator {named!r}: query-operators lists them")
        answer = await self._engine.submit(found[0])
        if answer.ok:
            await self._after(request)
        return await self._answered(asked, found[0], answer)

    async def _after(self, request: Request) -> None:
        """What follows from a durable fact and is no fact: PINs."""
        if isinstance(request, wire.OperatorAdd):
            await self._signing_in.give_pin(request.operator, request.pin)
        elif isinstance(request, wire.OperatorDisable):
            self._signing_in.take_pin(request.operator)

    async def _answered(self, asked: Question, input_: Input, answer: Answer) -> bytes:
        refused = (answer.refusal, answer.why)
        if answer.fact is not None:
            return await self._told(asked, Place(answer.seq, input_.at), answer.fact, refused)
        if not answer.seq:  # refused, and such that no journal takes it
            return self._telling.keep(asked, self._telling.reply(asked.name, asked.request.id, {}, refused=refused))
        seen = Seen("", input_.at, answer.seq, *refused)
        return await self._told_again(asked, seen, await self._looks.fact(answer.seq))

    async def _told(self, asked: Question, place: Place, fact: Fact, refused: tuple[str, str]) -> bytes:
        """The reply that a fact stands for."""
        given: dict[str, Any] = {} if refused[0] else replies.parts(asked.request, fact)
        if not refused[0] and REPLIES[asked.name] is wire.SlipReply:
            try:
                given = {"slip": await self._looks.glance(lambda journal: slip(journal, place.seq))}
            except (JournalError, TooLongError) as error:
                given = {"message": f"done, but the slip cannot be read: {error}: ask for it with print-slip"}
        return self._telling.reply(asked.name, asked.request.id, given, place, refused)

    async def _query(self, asked: Question, request: wire.Query) -> bytes:
        state, now = self._engine.state, stamp(self._clock.now())
        try:
            given = await self._looks.query(lambda journal: queries.ask(journal, request, state, now, self._ask_link))
        except queries.BadQueryError as error:
            raise NoFurtherError("bad-request", str(error)) from error
        except BadInputError as error:
            raise NoFurtherError("unknown", str(error)) from error
        return self._telling.reply(asked.name, request.id, given, Place(state.seq, now))


def _lacks_pin(journal: JournalReader, operator: str, added: Stored) -> bool:
    """Whether no PIN was kept since an operator was added, nor anything else changed about them."""
    newest = next(
        each
        for each in latest(journal, ("operator-changed",), journal.head().seq, f'"operator":"{operator}"')
        if isinstance(each.fact, OperatorWasChanged) and each.fact.operator == operator
    )
    kept = journal.db.conn.execute("SELECT changed_at FROM pins WHERE operator = ?", (operator,)).fetchone()
    return newest.seq == added.seq and (kept is None or kept[0] < added.at)
