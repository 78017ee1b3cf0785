"""Consent and instructions."""

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page


class C(BaseConstants):
    NAME_IN_URL = "entry"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    pass


class Consent(Page):
    pass


class Instructions(Page):
    pass


page_sequence = [Consent, Instructions]
