"""Sixteen rounds with one clip and one answer each."""

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets


class C(BaseConstants):
    NAME_IN_URL = "judging"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 16


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    answer = models.StringField(
        label="Given how objects behave on earth, is the trajectory of the ball plausible?",
        choices=[["yes", "Plausible"], ["no", "Not plausible"]],
        widget=widgets.RadioSelect,
    )


class Judge(Page):
    form_model = "player"
    form_fields = ["answer"]


page_sequence = [Judge]
