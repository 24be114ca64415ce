"""A slow, literal restatement of every wager, used as the oracle of the property tests.

Written from the regulations alone (58 Pa. Code Chapters 625b, 627a, 627b, 629b, 631c and 651b) and from the
readings of docs/behaviour.md and the identifiers of docs/commands.md.
It shares nothing with the product: every rule and every number is
written out here once more, those of the progressive wagers where the simulation's auditor has them. Nothing is fast and
nothing is clever.

A card is a string of rank and suit ("TS" is the ten of spades). A hand is a list of cards in dealt order; its
first two are the initial cards. Functions about a finished round expect a deal whose status is "complete".
"""

from __future__ import annotations

from fractions import Fraction

from controller.simulation.auditor.cards import (
    color_of,
    harmony_abc,
    harmony_def,
    harmony_ghi,
    heavenly9,
    natural,
    point_count,
    rank_of,
    royal9,
    same_suit,
    status,
    suit_of,
    three_card,
    tied,
)

__all__ = ["outcomes", "point_count", "returns_cents", "royal9", "sic_bo", "status", "top_card"]

# ---------------------------------------------------------------------------------------------------------
# Cards and hands
# ---------------------------------------------------------------------------------------------------------


def _two_card(cards: list[str], points: int) -> bool:
    """A hand of exactly two cards with this point count."""
    return len(cards) == 2 and point_count(cards) == points


def _beats(hand: list[str], other: list[str]) -> bool:
    """The first hand has the higher point count. § 627a.7(a)(1) and (2)."""
    return point_count(hand) > point_count(other)


def _pair(hand: list[str]) -> bool:
    """The two initial cards are of one rank; a ten and a king are not. § 627a.7(a)(7)(i), § 627b.1(c)."""
    return rank_of(hand[0]) == rank_of(hand[1])


def _win_or_lose(won: bool) -> str:
    return "win" if won else "lose"


# ---------------------------------------------------------------------------------------------------------
# The third-card rule, § 627a.10
# ---------------------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------------------
# The wagers on the hands themselves
# ---------------------------------------------------------------------------------------------------------


def _player_wager(player: list[str], banker: list[str]) -> str:
    """§ 627a.7(a)(2), § 627b.4(g)(2). EZ Baccarat changes nothing here: see (i) and (ii)."""
    if _beats(player, banker):
        return "win"
    if tied(player, banker):
        return "push"
    return "lose"


def _tie_wager(player: list[str], banker: list[str]) -> str:
    """§ 627a.7(a)(3), § 627b.4(g)(3)."""
    return _win_or_lose(tied(player, banker))


def _banker_commission(player: list[str], banker: list[str]) -> str:
    """§ 627a.7(a)(1)."""
    if _beats(banker, player):
        return "win"
    if tied(player, banker):
        return "push"
    return "lose"


def _is_dragon_7(player: list[str], banker: list[str]) -> bool:
    """The banker has three cards and seven points, the player fewer points. § 627a.1."""
    return three_card(banker, 7) and point_count(player) < 7


def _is_panda_8(player: list[str], banker: list[str]) -> bool:
    """The player has three cards and eight points, the banker fewer points. § 627a.1."""
    return three_card(player, 8) and point_count(banker) < 8


def _banker_ez(player: list[str], banker: list[str]) -> str:
    """A Dragon 7 gives the wager back. § 627a.7(a)(1)(i) and (iii)."""
    if _is_dragon_7(player, banker):
        return "push"
    if _beats(banker, player):
        return "win"
    if tied(player, banker):
        return "push"
    return "lose"


def _banker_rising_phoenix(player: list[str], banker: list[str]) -> str:
    """Without commission, a winning three-card seven gives the wager back. § 627b.4(g)(1), § 629b.5(g)(1)."""
    if _beats(banker, player) and three_card(banker, 7):
        return "push"
    if _beats(banker, player):
        return "win"
    if tied(player, banker):
        return "push"
    return "lose"


def _banker_commission_free(player: list[str], banker: list[str]) -> str:
    """A win with six points is paid less, so it has its own name. § 627b.2(c) and (i), § 631c.5(i)."""
    if _beats(banker, player) and point_count(banker) == 6:
        return "win-6"
    if _beats(banker, player):
        return "win"
    if tied(player, banker):
        return "push"
    return "lose"


# ---------------------------------------------------------------------------------------------------------
# Side wagers of minibaccarat
# ---------------------------------------------------------------------------------------------------------


def _dragon_bonus(hand: list[str], other: list[str]) -> str:
    """§ 627a.7(a)(4): clause by clause; the points a natural wins by do not count."""
    points = point_count(hand)
    other_points = point_count(other)
    # (i)(A) and (i)(B)
    if natural(hand) and not natural(other):
        return "natural-win"
    if natural(hand) and natural(other) and points == 9 and other_points == 8:
        return "natural-win"
    # (iii)
    if natural(hand) and natural(other) and points == other_points:
        return "natural-tie"
    # (i)(C)
    if not natural(hand):
        if points - other_points == 9:
            return "win-by-9"
        if points - other_points == 8:
            return "win-by-8"
        if points - other_points == 7:
            return "win-by-7"
        if points - other_points == 6:
            return "win-by-6"
        if points - other_points == 5:
            return "win-by-5"
        if points - other_points == 4:
            return "win-by-4"
    # (ii)
    return "lose"


def _golden_talons(hand: list[str], other: list[str]) -> str:
    """§ 627b.5(e)-(g), § 629b.6(e)-(g): under (g) a winning natural is that and nothing better."""
    points = point_count(hand)
    other_points = point_count(other)
    if natural(hand) and points > other_points:
        return "natural-win"
    if points - other_points == 9:
        return "win-by-9"
    if points - other_points == 8:
        return "win-by-8"
    if points - other_points == 7:
        return "win-by-7"
    if points - other_points == 6:
        return "win-by-6"
    if points - other_points == 5:
        return "win-by-5"
    if points - other_points == 4:
        return "win-by-4"
    if natural(hand) and natural(other) and points == other_points:
        return "natural-tie"
    return "lose"


def _house_money(player: list[str], banker: list[str]) -> str:
    """§ 627a.7(a)(7), § 627a.12(h)."""
    if _pair(player) and _pair(banker):
        return "both-pair"
    if _pair(player) or _pair(banker):
        return "one-pair"
    return "lose"


def _perfect_pairs(hand: list[str]) -> str:
    """§ 627b.1, § 631c.1: the two initial cards of the hand wagered on."""
    if not _pair(hand):
        return "lose"
    if suit_of(hand[0]) == suit_of(hand[1]):
        return "perfect"
    if color_of(hand[0]) == color_of(hand[1]):
        return "colored"
    return "mixed"


def _lucky_six(player: list[str], banker: list[str]) -> str:
    """§ 627b.2(c)(3) and (k), § 631c.5(c)(3) and (k); a tie at six is not a win."""
    if point_count(banker) == 6 and _beats(banker, player):
        if len(banker) == 2:
            return "banker-6-2card"
        return "banker-6-3card"
    return "lose"


# ---------------------------------------------------------------------------------------------------------
# Harmony Progressive, § 627b.6 and § 629b.7
# ---------------------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------------------
# Side wagers of baccarat, Chapter 631c
# ---------------------------------------------------------------------------------------------------------


def _fortune_7(player: list[str], banker: list[str]) -> str:
    """§ 631c.3(f)(1)."""
    return _win_or_lose(_beats(banker, player) and three_card(banker, 7))


def _golden_8(player: list[str], banker: list[str]) -> str:
    """§ 631c.3(f)(2)."""
    return _win_or_lose(_beats(player, banker) and three_card(player, 8))


def _heavenly_9_bonus(player: list[str], banker: list[str]) -> str:
    """§ 631c.3(f)(3); the hand need not win the round."""
    if three_card(player, 9) and three_card(banker, 9):
        return "both"
    if three_card(player, 9) or three_card(banker, 9):
        return "one"
    return "lose"


def _blazing_7s_a(player: list[str], banker: list[str]) -> str:
    """Paytable A has no two-card row. § 631c.3(f)(4) and (h)."""
    if three_card(player, 7) and three_card(banker, 7):
        return "both-3card"
    return "lose"


def _blazing_7s_b(player: list[str], banker: list[str]) -> str:
    """Paytable B; two cards against three loses (docs/behaviour.md). § 631c.3(f)(4) and (h)."""
    if three_card(player, 7) and three_card(banker, 7):
        return "both-3card"
    if _two_card(player, 7) and _two_card(banker, 7):
        return "both-2card"
    return "lose"


def _cover_all_a(player: list[str], banker: list[str]) -> str:
    """Any of the other four treasures, as paytable A has them. § 631c.3(f)(5); docs/behaviour.md."""
    return _win_or_lose(
        _fortune_7(player, banker) != "lose"
        or _golden_8(player, banker) != "lose"
        or _heavenly_9_bonus(player, banker) != "lose"
        or _blazing_7s_a(player, banker) != "lose"
    )


def _cover_all_b(player: list[str], banker: list[str]) -> str:
    """Any of the other four treasures, as paytable B has them. § 631c.3(f)(5)."""
    return _win_or_lose(
        _fortune_7(player, banker) != "lose"
        or _golden_8(player, banker) != "lose"
        or _heavenly_9_bonus(player, banker) != "lose"
        or _blazing_7s_b(player, banker) != "lose"
    )


def _lucky_nines(player: list[str], banker: list[str]) -> str:
    """The nines among the four initial cards, whichever hand they are in. § 631c.4."""
    nines = [card for card in player[:2] + banker[:2] if rank_of(card) == "9"]
    if len(nines) == 4:
        return "four-nines"
    if len(nines) == 3 and same_suit(nines):
        return "three-nines-same-suit"
    if len(nines) == 3:
        return "three-nines"
    if len(nines) == 2 and same_suit(nines):
        return "two-nines-same-suit"
    if len(nines) == 2:
        return "two-nines"
    if len(nines) == 1 and suit_of(nines[0]) == "D":
        return "one-nine-diamonds"
    if len(nines) == 1:
        return "one-nine"
    return "lose"


def _majestic_match(hand: list[str]) -> str:
    """The two initial cards of the hand wagered on. § 631c.7."""
    first, second = hand[0], hand[1]
    if suit_of(first) != suit_of(second):
        return "lose"
    if rank_of(first) == "K" and rank_of(second) == "Q":
        return "royal-match"
    if rank_of(first) == "Q" and rank_of(second) == "K":
        return "royal-match"
    return "suited-match"


# ---------------------------------------------------------------------------------------------------------
# Rising Phoenix bonus wagers, § 627b.4(g)(4) and § 629b.5(g)(4)
# ---------------------------------------------------------------------------------------------------------


def _rising_phoenix_bonuses(player: list[str], banker: list[str]) -> dict[str, str]:
    """The twenty bonus wagers in the order (i) to (xx)."""
    p = point_count(player)
    b = point_count(banker)
    won: dict[str, bool] = {}

    # (i) and (ii)
    won["rp-sun-7"] = _beats(banker, player) and three_card(banker, 7)
    won["rp-moon-8"] = _beats(player, banker) and three_card(player, 8)
    # (iii) either hand, any number of cards
    won["rp-9-over-7"] = (p == 9 and b == 7) or (b == 9 and p == 7)
    # (iv) either hand
    won["rp-2card-8-over-2card-1"] = (_two_card(player, 8) and _two_card(banker, 1)) or (
        _two_card(banker, 8) and _two_card(player, 1)
    )
    # (v) and (vi)
    won["rp-player-wins-3card-6"] = _beats(player, banker) and three_card(player, 6)
    won["rp-banker-wins-1-or-2"] = _beats(banker, player) and (b == 1 or b == 2)
    # (vii) whoever wins, or nobody
    won["rp-player-and-banker-8-or-9"] = (p == 8 or p == 9) and (b == 8 or b == 9)
    # (viii) either hand, any number of cards
    won["rp-1-over-0"] = (p == 1 and b == 0) or (b == 1 and p == 0)
    # (ix) and (x) either hand
    won["rp-3card-6-over-3card-3"] = (three_card(player, 6) and three_card(banker, 3)) or (
        three_card(banker, 6) and three_card(player, 3)
    )
    won["rp-3card-8-over-3card-0"] = (three_card(player, 8) and three_card(banker, 0)) or (
        three_card(banker, 8) and three_card(player, 0)
    )
    # (xi)
    won["rp-banker-wins-over-2card-7"] = _beats(banker, player) and _two_card(player, 7)
    # (xii) and (xiii) either hand
    won["rp-3card-9-over-3card-6"] = (three_card(player, 9) and three_card(banker, 6)) or (
        three_card(banker, 9) and three_card(player, 6)
    )
    won["rp-3card-9-over-3card-8"] = (three_card(player, 9) and three_card(banker, 8)) or (
        three_card(banker, 9) and three_card(player, 8)
    )
    # (xiv) the player only
    won["rp-player-3card-8-over-3card-0"] = three_card(player, 8) and three_card(banker, 0)
    # (xv) to (xviii) any number of cards
    won["rp-tie-0"] = p == b and p == 0
    won["rp-tie-1-2-3"] = p == b and p in (1, 2, 3)
    won["rp-tie-4-5-6-7"] = p == b and p in (4, 5, 6, 7)
    won["rp-tie-8-9"] = p == b and p in (8, 9)
    # (xix) and (xx) the initial two cards
    won["rp-player-pair"] = _pair(player)
    won["rp-banker-pair"] = _pair(banker)

    return {wager: _win_or_lose(won[wager]) for wager in won}


# ---------------------------------------------------------------------------------------------------------
# All wagers that two finished hands decide
# ---------------------------------------------------------------------------------------------------------


def outcomes(player: list[str], banker: list[str]) -> dict[str, str]:
    """The outcome of every wager decided by the two hands, except Royal 9."""
    if status(player, banker) != "complete":
        raise ValueError(f"not a complete deal: {player} {banker}")

    result: dict[str, str] = {}

    # § 627b.6, § 629b.7
    for paytable in ["A", "B", "C"]:
        result[f"harmony/{paytable}"] = harmony_abc(player, banker)
    for paytable in ["D", "E", "F"]:
        result[f"harmony/{paytable}"] = harmony_def(player, banker)
    for paytable in ["G", "H", "I"]:
        result[f"harmony/{paytable}"] = harmony_ghi(player, banker)

    # § 631c.2
    result["heavenly9"] = heavenly9(player, banker)

    # § 627a.7(a)(1)-(3), § 627b.2, § 627b.4(g)(1)-(3)
    result["player"] = _player_wager(player, banker)
    result["tie"] = _tie_wager(player, banker)
    result["banker/commission"] = _banker_commission(player, banker)
    result["banker/ez"] = _banker_ez(player, banker)
    result["banker/rising-phoenix"] = _banker_rising_phoenix(player, banker)
    result["banker/commission-free"] = _banker_commission_free(player, banker)

    # § 627b.1, § 631c.1
    for paytable in ["A", "B", "C"]:
        result[f"perfect-pairs/{paytable}@player"] = _perfect_pairs(player)
        result[f"perfect-pairs/{paytable}@banker"] = _perfect_pairs(banker)

    # § 627a.7(a)(4)
    for paytable in ["A", "B", "C"]:
        result[f"dragon-bonus/{paytable}@player"] = _dragon_bonus(player, banker)
        result[f"dragon-bonus/{paytable}@banker"] = _dragon_bonus(banker, player)

    # § 627b.5, § 629b.6
    for paytable in ["A", "B", "C", "D", "E"]:
        result[f"golden-talons/{paytable}@player"] = _golden_talons(player, banker)
        result[f"golden-talons/{paytable}@banker"] = _golden_talons(banker, player)

    # § 627a.7(a)(5) and (6)
    result["dragon-7"] = _win_or_lose(_is_dragon_7(player, banker))
    result["panda-8"] = _win_or_lose(_is_panda_8(player, banker))

    # § 631c.3
    result["fortune-7"] = _fortune_7(player, banker)
    result["golden-8"] = _golden_8(player, banker)
    result["heavenly-9-bonus"] = _heavenly_9_bonus(player, banker)
    result["blazing-7s/A"] = _blazing_7s_a(player, banker)
    result["blazing-7s/B"] = _blazing_7s_b(player, banker)
    result["cover-all/A"] = _cover_all_a(player, banker)
    result["cover-all/B"] = _cover_all_b(player, banker)

    # § 627b.2(c)(1) and (2), § 631c.5(c)(1) and (2)
    result["player-pair"] = _win_or_lose(_pair(player))
    result["banker-pair"] = _win_or_lose(_pair(banker))

    # § 627a.7(a)(7)
    result["house-money"] = _house_money(player, banker)

    # § 627b.2(c)(3), § 631c.5(c)(3)
    result["lucky-six"] = _lucky_six(player, banker)

    # § 631c.4
    for paytable in ["A", "B", "C", "D"]:
        result[f"lucky-nines/{paytable}"] = _lucky_nines(player, banker)

    # § 631c.7
    result["majestic-match@player"] = _majestic_match(player)
    result["majestic-match@banker"] = _majestic_match(banker)

    # § 627b.4(g)(4), § 629b.5(g)(4)
    result.update(_rising_phoenix_bonuses(player, banker))

    return result


# ---------------------------------------------------------------------------------------------------------
# Royal 9 Progressive, § 627b.3
# ---------------------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------------------
# Super Sic Bo, § 625b.1
# ---------------------------------------------------------------------------------------------------------


def sic_bo(wager: str, dice: list[int]) -> str:
    """The outcome of a dice wager. § 625b.1(c)-(e); docs/behaviour.md."""
    if len(dice) != 3 or any(die not in (1, 2, 3, 4, 5, 6) for die in dice):
        raise ValueError(f"not three dice: {dice}")
    total = dice[0] + dice[1] + dice[2]
    triple = dice[0] == dice[1] and dice[1] == dice[2]

    for face in range(1, 7):
        if wager == f"sic-bo-triple-{face}":
            return _win_or_lose(dice.count(face) == 3)
        if wager == f"sic-bo-double-{face}":
            return _win_or_lose(dice.count(face) >= 2)
        # § 625b.1(e)
        if wager == f"sic-bo-one-{face}":
            if dice.count(face) == 3:
                return "three"
            if dice.count(face) == 2:
                return "two"
            if dice.count(face) == 1:
                return "one"
            return "lose"
        for higher in range(face + 1, 7):
            if wager == f"sic-bo-pair-{face}-{higher}":
                return _win_or_lose(face in dice and higher in dice)

    for number in range(4, 18):
        if wager == f"sic-bo-total-{number}":
            return _win_or_lose(total == number)

    if wager == "sic-bo-any-triple":
        return _win_or_lose(triple)
    # § 625b.1(c)(1) and (2)
    if wager == "sic-bo-even":
        return _win_or_lose(total % 2 == 0)
    if wager == "sic-bo-odd":
        return _win_or_lose(total % 2 == 1)
    # docs/behaviour.md
    if wager == "sic-bo-small":
        return _win_or_lose(4 <= total <= 10 and not triple)
    if wager == "sic-bo-big":
        return _win_or_lose(11 <= total <= 17 and not triple)
    raise ValueError(f"not a dice wager: {wager!r}")


# ---------------------------------------------------------------------------------------------------------
# Top Card, § 651b.1
# ---------------------------------------------------------------------------------------------------------


def top_card(wager: str, home: str, away: str) -> str:
    """The outcome of a Top Card wager, ace high. § 651b.1(d) and (g)(4); docs/behaviour.md."""
    low_to_high = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
    home_height = low_to_high.index(rank_of(home))
    away_height = low_to_high.index(rank_of(away))

    if wager == "top-card-home":
        if home_height > away_height:
            return "win"
        if home_height == away_height:
            return "half-back"
        return "lose"
    if wager == "top-card-away":
        if away_height > home_height:
            return "win"
        if home_height == away_height:
            return "half-back"
        return "lose"
    if wager == "top-card-tie":
        return _win_or_lose(home_height == away_height)
    raise ValueError(f"not a Top Card wager: {wager!r}")


# ---------------------------------------------------------------------------------------------------------
# What each outcome pays, as the regulations print it
#
# "30 to 1" is a win on top of the stake; "20 for 1" and "$25" are all the player gets; "push" is the stake;
# "half" is half the stake; "100% of x" is the meter with that id.
# ---------------------------------------------------------------------------------------------------------

_PAYS: dict[str, dict[str, str]] = {
    # § 627b.3(f)(1)
    "royal9/5": {
        "mega": "100% of royal9-mega",
        "major": "100% of royal9-major",
        "minor": "100% of royal9-minor",
        "mega-envy": "$5000",
        "suited-royal9-tie": "$1500",
        "royal9-tie": "$250",
        "any-suited-royal9": "$50",
        "any-royal9": "$25",
    },
    # § 627b.3(g)(1)
    "royal9/1": {
        "mega": "100% of royal9-mega",
        "major": "100% of royal9-major",
        "minor": "100% of royal9-minor",
        "mega-envy": "$1000",
        "suited-royal9-tie": "$300",
        "royal9-tie": "$50",
        "any-suited-royal9": "$10",
        "any-royal9": "$5",
    },
    # § 627b.6(i), § 629b.7(i), first table
    "harmony/A": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "1000 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "100 for 1",
        "tie-0": "20 for 1",
        "tie-1-5": "6 for 1",
        "tie-6-9": "3 for 1",
    },
    "harmony/B": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "1000 for 1",
        "four-of-a-kind": "200 for 1",
        "six-zero-value": "100 for 1",
        "tie-0": "20 for 1",
        "tie-1-5": "5 for 1",
        "tie-6-9": "3 for 1",
    },
    "harmony/C": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "600 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "100 for 1",
        "tie-0": "20 for 1",
        "tie-1-5": "5 for 1",
        "tie-6-9": "5 for 1",
    },
    # § 627b.6(i), § 629b.7(i), second table
    "harmony/D": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "600 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "200 for 1",
        "tie-same-color": "20 for 1",
        "any-tie": "3 for 1",
    },
    "harmony/E": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "1000 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "100 for 1",
        "tie-same-color": "20 for 1",
        "any-tie": "3 for 1",
    },
    "harmony/F": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "300 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "100 for 1",
        "tie-same-color": "20 for 1",
        "any-tie": "5 for 1",
    },
    # § 627b.6(i), § 629b.7(i), third table
    "harmony/G": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "600 for 1",
        "four-of-a-kind": "200 for 1",
        "six-zero-value": "100 for 1",
        "tie-5-card": "10 for 1",
        "tie-6-card": "3 for 1",
        "tie-4-card": "3 for 1",
    },
    "harmony/H": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "1000 for 1",
        "four-of-a-kind": "200 for 1",
        "six-zero-value": "50 for 1",
        "tie-5-card": "8 for 1",
        "tie-6-card": "4 for 1",
        "tie-4-card": "3 for 1",
    },
    "harmony/I": {
        "six-of-a-kind": "100% of harmony",
        "four-8s": "300 for 1",
        "four-of-a-kind": "300 for 1",
        "six-zero-value": "50 for 1",
        "tie-5-card": "10 for 1",
        "tie-6-card": "6 for 1",
        "tie-4-card": "4 for 1",
    },
    # § 631c.2(i)
    "heavenly9": {
        "both-same-suit": "100% of heavenly9",
        "both-same-color": "299 for 1",
        "both": "60 for 1",
        "banker-3card-9": "9 for 1",
        "player-3card-9": "8 for 1",
    },
    # § 627a.12(a), § 627b.2(h), § 631c.5(h)
    "player": {"win": "1 to 1", "push": "push"},
    # § 627a.12(b) at its least, § 627b.2(j), § 631c.5(j); a push cannot happen but has a name
    "tie": {"win": "8 to 1", "push": "push"},
    # § 627a.12(c)
    "banker/commission": {"win": "1 to 1 less 5%", "push": "push"},
    # § 627a.12(c), EZ Baccarat
    "banker/ez": {"win": "1 to 1", "push": "push"},
    # § 627b.4(h)(1), § 629b.5(h)(1); docs/behaviour.md
    "banker/rising-phoenix": {"win": "1 to 1", "push": "push"},
    # § 627b.2(i), § 631c.5(i)
    "banker/commission-free": {"win": "1 to 1", "win-6": "1 to 2", "push": "push"},
    # § 627a.12(f) and (g)
    "dragon-7": {"win": "40 to 1"},
    "panda-8": {"win": "25 to 1"},
    # § 627a.12(h)
    "house-money": {"both-pair": "15 to 1", "one-pair": "3 to 1"},
    # § 627b.2(g) and (k), § 631c.5(g) and (k)
    "player-pair": {"win": "11 to 1"},
    "banker-pair": {"win": "11 to 1"},
    "lucky-six": {"banker-6-2card": "12 to 1", "banker-6-3card": "20 to 1"},
    # § 631c.3(h)
    "fortune-7": {"win": "40 to 1"},
    "golden-8": {"win": "25 to 1"},
    "heavenly-9-bonus": {"both": "75 to 1", "one": "10 to 1"},
    "blazing-7s/A": {"both-3card": "400 to 1"},
    "blazing-7s/B": {"both-3card": "200 to 1", "both-2card": "50 to 1"},
    "cover-all/A": {"win": "6 to 1"},
    "cover-all/B": {"win": "6 to 1"},
    # § 631c.4(e)
    "lucky-nines/A": {
        "four-nines": "500 to 1",
        "three-nines-same-suit": "250 to 1",
        "three-nines": "20 to 1",
        "two-nines-same-suit": "8 to 1",
        "two-nines": "5 to 1",
        "one-nine-diamonds": "2 to 1",
        "one-nine": "1 to 1",
    },
    "lucky-nines/B": {
        "four-nines": "500 to 1",
        "three-nines-same-suit": "250 to 1",
        "three-nines": "30 to 1",
        "two-nines-same-suit": "12 to 1",
        "two-nines": "5 to 1",
        "one-nine-diamonds": "2 to 1",
        "one-nine": "1 to 1",
    },
    "lucky-nines/C": {
        "four-nines": "1000 to 1",
        "three-nines-same-suit": "500 to 1",
        "three-nines": "35 to 1",
        "two-nines-same-suit": "16 to 1",
        "two-nines": "5 to 1",
        "one-nine-diamonds": "2 to 1",
        "one-nine": "1 to 1",
    },
    "lucky-nines/D": {
        "four-nines": "2000 to 1",
        "three-nines-same-suit": "500 to 1",
        "three-nines": "15 to 1",
        "two-nines-same-suit": "10 to 1",
        "two-nines": "4 to 1",
        "one-nine-diamonds": "2 to 1",
        "one-nine": "1 to 1",
    },
    # § 627b.4(h)(2), § 629b.5(h)(2)
    "rp-sun-7": {"win": "40 to 1"},
    "rp-moon-8": {"win": "25 to 1"},
    "rp-9-over-7": {"win": "25 to 1"},
    "rp-2card-8-over-2card-1": {"win": "50 to 1"},
    "rp-player-wins-3card-6": {"win": "40 to 1"},
    "rp-banker-wins-1-or-2": {"win": "60 to 1"},
    "rp-player-and-banker-8-or-9": {"win": "20 to 1"},
    "rp-1-over-0": {"win": "90 to 1"},
    "rp-3card-6-over-3card-3": {"win": "150 to 1"},
    "rp-3card-8-over-3card-0": {"win": "130 to 1"},
    "rp-banker-wins-over-2card-7": {"win": "30 to 1"},
    "rp-3card-9-over-3card-6": {"win": "200 to 1"},
    "rp-3card-9-over-3card-8": {"win": "200 to 1"},
    "rp-player-3card-8-over-3card-0": {"win": "250 to 1"},
    "rp-tie-0": {"win": "150 to 1"},
    "rp-tie-1-2-3": {"win": "70 to 1"},
    "rp-tie-4-5-6-7": {"win": "15 to 1"},
    "rp-tie-8-9": {"win": "40 to 1"},
    "rp-player-pair": {"win": "11 to 1"},
    "rp-banker-pair": {"win": "11 to 1"},
    # § 651b.1(g)
    "top-card-home": {"win": "1 to 1", "half-back": "half"},
    "top-card-away": {"win": "1 to 1", "half-back": "half"},
    # a half-back cannot happen on the tie wager but has a name
    "top-card-tie": {"win": "11 to 1", "half-back": "half"},
}

# Wagers made on one hand: the id goes on with "@player" or "@banker".
_PAYS_ON_A_HAND: dict[str, dict[str, str]] = {
    # § 627b.1(e), § 631c.1(d)
    "perfect-pairs/A": {"perfect": "25 to 1", "colored": "12 to 1", "mixed": "6 to 1"},
    "perfect-pairs/B": {"perfect": "30 to 1", "colored": "10 to 1", "mixed": "5 to 1"},
    "perfect-pairs/C": {"perfect": "25 to 1", "colored": "15 to 1", "mixed": "5 to 1"},
    # § 627a.12(e)
    "dragon-bonus/A": {
        "win-by-9": "30 to 1",
        "win-by-8": "10 to 1",
        "win-by-7": "6 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "2 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    "dragon-bonus/B": {
        "win-by-9": "20 to 1",
        "win-by-8": "8 to 1",
        "win-by-7": "7 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "3 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    "dragon-bonus/C": {
        "win-by-9": "30 to 1",
        "win-by-8": "10 to 1",
        "win-by-7": "4 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "2 to 1",
        "win-by-4": "2 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    # § 627b.5(f), § 629b.6(f)
    "golden-talons/A": {
        "win-by-9": "30 to 1",
        "win-by-8": "10 to 1",
        "win-by-7": "6 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "2 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    "golden-talons/B": {
        "win-by-9": "20 to 1",
        "win-by-8": "10 to 1",
        "win-by-7": "5 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "2 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "2 to 1",
    },
    "golden-talons/C": {
        "win-by-9": "30 to 1",
        "win-by-8": "12 to 1",
        "win-by-7": "5 to 1",
        "win-by-6": "3 to 1",
        "win-by-5": "3 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    "golden-talons/D": {
        "win-by-9": "20 to 1",
        "win-by-8": "8 to 1",
        "win-by-7": "7 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "3 to 1",
        "win-by-4": "1 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    "golden-talons/E": {
        "win-by-9": "30 to 1",
        "win-by-8": "10 to 1",
        "win-by-7": "4 to 1",
        "win-by-6": "4 to 1",
        "win-by-5": "2 to 1",
        "win-by-4": "2 to 1",
        "natural-win": "1 to 1",
        "natural-tie": "push",
    },
    # § 631c.7(d)
    "majestic-match": {"royal-match": "25 to 1", "suited-match": "2.5 to 1"},
}


def _sic_bo_pays(wager: str) -> dict[str, str]:
    """The base odds. § 625b.1(d) and (e)."""
    totals = {
        4: "50 to 1",
        5: "20 to 1",
        6: "15 to 1",
        7: "12 to 1",
        8: "8 to 1",
        9: "6 to 1",
        10: "6 to 1",
        11: "6 to 1",
        12: "6 to 1",
        13: "8 to 1",
        14: "12 to 1",
        15: "15 to 1",
        16: "20 to 1",
        17: "50 to 1",
    }
    for face in range(1, 7):
        if wager == f"sic-bo-triple-{face}":
            return {"win": "150 to 1"}
        if wager == f"sic-bo-double-{face}":
            return {"win": "8 to 1"}
        if wager == f"sic-bo-one-{face}":
            return {"one": "1 to 1", "two": "2 to 1", "three": "3 to 1"}
        for higher in range(face + 1, 7):
            if wager == f"sic-bo-pair-{face}-{higher}":
                return {"win": "5 to 1"}
    for number in range(4, 18):
        if wager == f"sic-bo-total-{number}":
            return {"win": totals[number]}
    if wager == "sic-bo-any-triple":
        return {"win": "30 to 1"}
    if wager in ("sic-bo-even", "sic-bo-odd", "sic-bo-small", "sic-bo-big"):
        return {"win": "1 to 1"}
    raise ValueError(f"not a dice wager: {wager!r}")


def _paytable(wager: str) -> dict[str, str]:
    """What each outcome of this wager pays."""
    if wager.startswith("sic-bo-"):
        return _sic_bo_pays(wager)
    if wager.endswith("@player") and wager.removesuffix("@player") in _PAYS_ON_A_HAND:
        return _PAYS_ON_A_HAND[wager.removesuffix("@player")]
    if wager.endswith("@banker") and wager.removesuffix("@banker") in _PAYS_ON_A_HAND:
        return _PAYS_ON_A_HAND[wager.removesuffix("@banker")]
    if wager in _PAYS:
        return _PAYS[wager]
    raise ValueError(f"not a wager: {wager!r}")


def returns_cents(wager: str, outcome: str, stake_cents: int) -> int | str:
    """The cents the player gets back, rounded down, or the meter id when a jackpot row pays."""
    paytable = _paytable(wager)
    if outcome == "lose":
        return 0
    if outcome not in paytable:
        raise ValueError(f"{wager!r} has no outcome {outcome!r}")
    pays = paytable[outcome]
    stake = Fraction(stake_cents)

    if pays == "push":
        return stake_cents
    if pays == "half":
        return _rounded_down(stake / 2)
    if pays == "1 to 1 less 5%":
        win = stake
        vigorish = win * Fraction(5, 100)
        return _rounded_down(stake + win - vigorish)
    if pays.startswith("100% of "):
        return pays.removeprefix("100% of ")
    if pays.startswith("$"):
        # The printed dollars belong to the fixed wager and do not grow with the stake (docs/behaviour.md).
        return int(pays.removeprefix("$")) * 100
    if " for " in pays:
        amount, unit = pays.split(" for ")
        return _rounded_down(stake * Fraction(amount) / Fraction(unit))
    amount, unit = pays.split(" to ")
    return _rounded_down(stake + stake * Fraction(amount) / Fraction(unit))


def _rounded_down(cents: Fraction) -> int:
    """Whole cents, the rest dropped (docs/behaviour.md); amounts are never negative."""
    return cents.numerator // cents.denominator
