"""Processes of a test's own: forked, so that what they do to themselves (die, lose rights or a disk) is theirs."""

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_child(work: Callable[[], T]) -> T:
    """What `work` returns in a child process; an error there fails the test with its trace."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _work_and_exit(work, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the child died"
    worked, result = pickle.loads(answer)  # noqa: S301 -- from our own child
    assert worked, result
    return result  # type: ignore[no-any-return]  # what `work` returned, through a pipe


def killed(work: Callable[[], object]) -> bool:
    """Whether a child that runs `work` was killed by kill -9 before the end of it."""
    child = os.fork()
    if not child:
        _work_and_exit(work, os.open(os.devnull, os.O_WRONLY))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, f"the child ended with {code}"
    return code == -signal.SIGKILL


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _work_and_exit(work: Callable[[], object], writing: int) -> None:
    code = 1
    try:
        try:
            answer = pickle.dumps((True, work()))
        except BaseException:  # noqa: BLE001 -- whatever it is, the parent shows it
            answer = pickle.dumps((False, traceback.format_exc()))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        code = 0
    finally:
        os._exit(code)  # no fixtures, no buffers of pytest's: those are the parent's
