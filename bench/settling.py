"""Settling all wagers of a hand, against drawing six cards and playing them."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence

from bench.report import Figure, medians
from controller.rules.cards import CARDS, Card, Hand
from controller.rules.drawing import BANKER_DRAWS, NATURAL, NO_CARD, PLAYER_DRAWS_BELOW, deal
from controller.rules.royal9 import DEFAULT_LAYOUT
from controller.rules.settlement import settle_all, settle_royal9

SHOE = list(CARDS.values()) * 8
BLOCK = 500  # hands of one measurement
ROUNDS = 40
STREAMED = 20_000
GOAL = 12.0


def play(cards: Sequence[Card]) -> tuple[int, int]:
    """The totals of a round from six cards: the third-card rule in as few steps as it takes, nothing checked."""
    p1, b1, p2, b2, fifth, sixth = cards
    player, banker = (p1.value + p2.value) % 10, (b1.value + b2.value) % 10
    if player >= NATURAL or banker >= NATURAL:
        return player, banker
    if player < PLAYER_DRAWS_BELOW:
        if BANKER_DRAWS[banker][fifth.value]:
            banker = (banker + sixth.value) % 10
        return (player + fifth.value) % 10, banker
    if BANKER_DRAWS[banker][NO_CARD]:
        banker = (banker + fifth.value) % 10
    return player, banker


def _draw_and_play() -> None:
    for _ in range(BLOCK):
        play(random.sample(SHOE, 6))


def figures() -> list[Figure]:
    """Through the library, and through `settle --stdin`."""
    rounds = [deal(tuple(random.sample(SHOE, 6))) for _ in range(BLOCK)]
    hands: list[tuple[Hand, Hand]] = [(dealt.player, dealt.banker) for dealt in rounds]

    def settle() -> None:
        for player, banker in hands:
            settle_all(player, banker)
            settle_royal9(player, banker, DEFAULT_LAYOUT)

    taken = medians({"draw and play": _draw_and_play, "settle": settle}, ROUNDS)
    streamed = _stream_seconds(hands)
    base = taken["draw and play"] / BLOCK
    ratio = taken["settle"] / taken["draw and play"]
    return [
        Figure("settle all wagers of a hand, Royal 9 at nine seats / draw and play it", ratio, "x", GOAL),
        Figure("the same through settle --stdin / draw and play it", streamed / base, "x"),
        Figure("hands a second, library", BLOCK / taken["settle"], ""),
        Figure("hands a second, settle --stdin", 1 / streamed, ""),
        Figure("hands a second, drawn and played only", 1 / base, ""),
    ]


def _stream_seconds(hands: list[tuple[Hand, Hand]]) -> float:
    """Seconds a hand takes through the command, the start of the process left out."""
    lines = [
        json.dumps({"player": list(map(str, player)), "banker": list(map(str, banker))}) for player, banker in hands
    ]

    def run(number: int) -> float:
        text = "".join(f"{lines[index % len(lines)]}\n" for index in range(number)).encode()
        layout = ",".join(DEFAULT_LAYOUT.combinations)
        command = [sys.executable, "-m", "controller", "settle", "--stdin", "--layout", layout]
        begun = time.perf_counter()
        subprocess.run(command, input=text, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begun

    return min((run(STREAMED) - run(1)) / (STREAMED - 1) for _ in range(3))
