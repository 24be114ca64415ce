"""Cards, the third-card rule and the progressive wagers, restated slowly and in the order of the text.

A card is a string of rank and suit ("TS" is the ten of spades). A hand is its cards in dealt order; its first two are
the initial cards. Functions about a finished round expect a deal whose status is "complete". It shares nothing with the
product: change it from the text, never to agree with the code.
"""

from collections.abc import Sequence

from controller.simulation.auditor.law import ROYAL9_ROWS

Cards = Sequence[str]


def rank_of(card: str) -> str:
    """The rank of a card: one of A 2 3 4 5 6 7 8 9 T J Q K."""
    if len(card) != 2 or card[0] not in "A23456789TJQK" or card[1] not in "SHDC":
        raise ValueError(f"not a card: {card!r}")
    return card[0]


def suit_of(card: str) -> str:
    """The suit of a card: one of S H D C."""
    if len(card) != 2 or card[0] not in "A23456789TJQK" or card[1] not in "SHDC":
        raise ValueError(f"not a card: {card!r}")
    return card[1]


def color_of(card: str) -> str:
    """Hearts and diamonds are red, spades and clubs are black."""
    if suit_of(card) == "H" or suit_of(card) == "D":
        return "red"
    return "black"


def value_of(card: str) -> int:
    """What a card counts. § 627a.6(a)."""
    rank = rank_of(card)
    if rank == "A":
        return 1
    if rank == "T" or rank == "J" or rank == "Q" or rank == "K":
        return 0
    return int(rank)


def point_count(cards: Cards) -> int:
    """The right-hand digit of the sum of the card values. § 627a.6(b)."""
    total = 0
    for card in cards:
        total = total + value_of(card)
    return int(str(total)[-1])


def natural(cards: Cards) -> bool:
    """Eight or nine points on the first two cards. § 627a.1."""
    return point_count(cards[:2]) == 8 or point_count(cards[:2]) == 9


def three_card(cards: Cards, points: int) -> bool:
    """A hand of exactly three cards with this point count."""
    return len(cards) == 3 and point_count(cards) == points


def tied(player: Cards, banker: Cards) -> bool:
    """Both hands have the same point count. § 627a.7(a)(3)."""
    return point_count(player) == point_count(banker)


def same_rank(cards: Cards) -> bool:
    """All these cards are of one rank."""
    return all(rank_of(card) == rank_of(cards[0]) for card in cards)


def same_suit(cards: Cards) -> bool:
    """All these cards are of one suit."""
    return all(suit_of(card) == suit_of(cards[0]) for card in cards)


def same_color(cards: Cards) -> bool:
    """All these cards are of one color."""
    return all(color_of(card) == color_of(cards[0]) for card in cards)


def player_takes_a_third(player_two: Cards, banker_two: Cards) -> bool:
    """§ 627a.10(a) and (b), for the initial two cards of both hands."""
    if natural(player_two) or natural(banker_two):
        return False
    return point_count(player_two) < 6


def banker_takes_a_third(player_two: Cards, banker_two: Cards, player_third: str | None) -> bool:
    """§ 627a.10(a) and (c); player_third is None when the player stays."""
    if natural(player_two) or natural(banker_two):
        return False
    points = point_count(banker_two)
    if player_third is None:
        return points <= 5
    if points < 3:
        return True
    if points == 7:
        return False
    # Table 1: one letter per value 0, 1, ..., 9 of the player's third card; D draws and S stays.
    table_1 = {
        3: "DDDDDDDDSD",
        4: "SSDDDDDDSS",
        5: "SSSSDDDDSS",
        6: "SSSSSSDDSS",
    }
    return table_1[points][value_of(player_third)] == "D"


def status(player: Cards, banker: Cards) -> str:  # noqa: C901 -- as long as the sections
    """Whether a deal is "complete", "incomplete" or "impossible". §§ 627a.8(c), 627a.9(c)-(d), 627a.10."""
    for card in [*player, *banker]:
        rank_of(card)  # refuses what is not a card

    # § 627a.9(d): one additional card at most.
    if len(player) > 3 or len(banker) > 3:
        return "impossible"
    # § 627a.8(c) and § 627a.9: third cards come only after all four initial cards.
    if len(player) == 3 and len(banker) < 2:
        return "impossible"
    if len(banker) == 3 and len(player) < 2:
        return "impossible"
    if len(player) < 2 or len(banker) < 2:
        return "incomplete"

    player_two = player[:2]
    banker_two = banker[:2]

    if player_takes_a_third(player_two, banker_two):
        if len(player) == 2:
            # § 627a.9(c): the player's third card comes before the banker's.
            if len(banker) == 3:
                return "impossible"
            return "incomplete"
        player_third = player[2]
        banker_draws = banker_takes_a_third(player_two, banker_two, player_third)
    else:
        if len(player) == 3:
            return "impossible"
        banker_draws = banker_takes_a_third(player_two, banker_two, None)

    if banker_draws and len(banker) == 2:
        return "incomplete"
    if not banker_draws and len(banker) == 3:
        return "impossible"
    return "complete"


def harmony_top_rows(player: Cards, banker: Cards) -> str:
    """The four rows all nine paytables begin with. § 627b.6(g)(1)-(4) and (i). "" when none applies."""
    cards = [*player, *banker]
    if not tied(player, banker):
        return ""
    if len(cards) == 6 and same_rank(cards):
        return "six-of-a-kind"
    if len(cards) == 4 and all(rank_of(card) == "8" for card in cards):
        return "four-8s"
    if len(cards) == 4 and same_rank(cards):
        return "four-of-a-kind"
    if len(cards) == 6 and all(value_of(card) == 0 for card in cards):
        return "six-zero-value"
    return ""


def harmony_abc(player: Cards, banker: Cards) -> str:
    """Paytables A, B and C. § 627b.6(g)(5)-(7), (h) and (i)."""
    top = harmony_top_rows(player, banker)
    if top != "":
        return top
    if tied(player, banker) and point_count(player) == 0:
        return "tie-0"
    if tied(player, banker) and point_count(player) in (1, 2, 3, 4, 5):
        return "tie-1-5"
    if tied(player, banker) and point_count(player) in (6, 7, 8, 9):
        return "tie-6-9"
    return "lose"


def harmony_def(player: Cards, banker: Cards) -> str:
    """Paytables D, E and F. § 627b.6(g)(8)-(9), (h) and (i); the color is one for all cards of both hands."""
    top = harmony_top_rows(player, banker)
    if top != "":
        return top
    if tied(player, banker) and same_color([*player, *banker]):
        return "tie-same-color"
    if tied(player, banker):
        return "any-tie"
    return "lose"


def harmony_ghi(player: Cards, banker: Cards) -> str:
    """Paytables G, H and I. § 627b.6(g)(10)-(12), (h) and (i)."""
    top = harmony_top_rows(player, banker)
    if top != "":
        return top
    if tied(player, banker) and len([*player, *banker]) == 5:
        return "tie-5-card"
    if tied(player, banker) and len([*player, *banker]) == 6:
        return "tie-6-card"
    if tied(player, banker) and len([*player, *banker]) == 4:
        return "tie-4-card"
    return "lose"


def heavenly9(player: Cards, banker: Cards) -> str:
    """The progressive wager. § 631c.2(g)-(i)."""
    both = three_card(player, 9) and three_card(banker, 9)
    if both and same_suit([*player, *banker]):
        return "both-same-suit"
    if both and same_color([*player, *banker]):
        return "both-same-color"
    if both:
        return "both"
    if three_card(banker, 9):
        return "banker-3card-9"
    if three_card(player, 9):
        return "player-3card-9"
    return "lose"


def is_royal9(two: Cards) -> bool:
    """A king, queen or jack together with a nine, in either order. § 627b.3(b)."""
    first, second = rank_of(two[0]), rank_of(two[1])
    if first in ("K", "Q", "J") and second == "9":
        return True
    return first == "9" and second in ("K", "Q", "J")


def is_suited_royal9(two: Cards) -> bool:
    """A Royal 9 of one suit. § 627b.3(e)(2)."""
    return is_royal9(two) and suit_of(two[0]) == suit_of(two[1])


def holds_combination(two: Cards, combination: str) -> bool:
    """The two cards are exactly this king and this nine, in either order. § 627b.3(e)(5)."""
    king = combination[0:2]
    nine = combination[2:4]
    if len(combination) != 4 or rank_of(king) != "K" or rank_of(nine) != "9":
        raise ValueError(f"not a combination: {combination!r}")
    return list(two) == [king, nine] or list(two) == [nine, king]


def royal9(player: Cards, banker: Cards, layout: Cards, seat: int) -> str:  # noqa: C901 -- as long as the section
    """The first row of the paytable this seat qualifies for. § 627b.3(e)-(g); docs/behaviour.md."""
    if len(player) < 2 or len(banker) < 2:
        raise ValueError("Royal 9 needs the two initial cards of both hands")
    if seat < 1 or seat > len(layout):
        raise ValueError(f"no such seat: {seat}")
    player_two = player[:2]
    banker_two = banker[:2]
    personal = layout[seat - 1]

    # § 627b.3(e)(6)
    if holds_combination(player_two, personal) and holds_combination(banker_two, personal):
        return "mega"
    # § 627b.3(e)(7)
    if holds_combination(banker_two, personal):
        return "major"
    # § 627b.3(e)(8)
    if holds_combination(player_two, personal):
        return "minor"
    # § 627b.3(e)(9): the combination of any position of the layout, in both hands
    for combination in layout:
        if holds_combination(player_two, combination) and holds_combination(banker_two, combination):
            return "mega-envy"
    # § 627b.3(e)(4)
    if is_suited_royal9(player_two) and is_suited_royal9(banker_two):
        return "suited-royal9-tie"
    # § 627b.3(e)(3)
    if is_royal9(player_two) and is_royal9(banker_two):
        return "royal9-tie"
    # § 627b.3(e)(2)
    if is_suited_royal9(player_two) or is_suited_royal9(banker_two):
        return "any-suited-royal9"
    # § 627b.3(e)(1)
    if is_royal9(player_two) or is_royal9(banker_two):
        return "any-royal9"
    return "lose"


def outcomes(player: Cards, banker: Cards) -> dict[str, str]:
    """The row of each progressive wager that two whole hands decide. Royal 9 is decided by four cards."""
    found = {f"harmony/{paytable}": harmony_abc(player, banker) for paytable in "ABC"}
    found |= {f"harmony/{paytable}": harmony_def(player, banker) for paytable in "DEF"}
    found |= {f"harmony/{paytable}": harmony_ghi(player, banker) for paytable in "GHI"}
    return {**found, "heavenly9": heavenly9(player, banker)}


def royal9_rows(player: tuple[str, ...], banker: tuple[str, ...], layout: tuple[str, ...], seat: int) -> list[str]:
    """Every row a seat qualifies for, § 627b.3(e). A Mega takes neither Major, Minor nor Envy (docs/behaviour.md)."""

    def combination(two: tuple[str, ...]) -> str:
        return "".join(sorted(two[:2], key=lambda card: card[0] != "K"))

    def royal(two: tuple[str, ...]) -> bool:
        ranks = sorted(card[0] for card in two[:2])
        return ranks in (["9", "K"], ["9", "Q"], ["9", "J"])

    def suited(two: tuple[str, ...]) -> bool:
        return royal(two) and two[0][1] == two[1][1]

    mine, of_player, of_banker = layout[seat - 1], combination(player), combination(banker)
    same = of_player == of_banker
    mega = same and of_player == mine
    holds = {
        "mega": mega,
        "major": of_banker == mine and not mega,
        "minor": of_player == mine and not mega,
        "mega-envy": same and of_player in layout and not mega,
        "suited-royal9-tie": suited(player) and suited(banker),
        "royal9-tie": royal(player) and royal(banker),
        "any-suited-royal9": suited(player) or suited(banker),
        "any-royal9": royal(player) or royal(banker),
    }
    return [row for row in ROYAL9_ROWS if holds[row]]
