"""A psychologist's study in Chromium, by keyboard alone, from its form to tables that give what the methods say."""

import random
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest
from playwright.sync_api import Browser, expect

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.leasing import lapse
from benchmarks.models import Item, Pack
from benchmarks.packs.import_release import import_release
from humantrials.judging.attention_checks import questions_of_sheet
from humantrials.models import Participant, Sheet
from humantrials.models.identity import Identity
from humantrials.simulation.browser import JSON, PageReader, Visitor
from humantrials.simulation.participant import answers_to, hear, quiz_of
from tests.benchmarks.pacs_releases import small
from tests.extensions.annotation.walker import DESKTOP, PHONE, Browsing
from tests.factories import answer_to
from tests.humantrials.protocols.designs.test_crossed import stand_in_clips
from tests.humantrials.site_content import write_files
from tests.humantrials.test_every_page import press_by_keyboard, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECONDS = 0.3  # of each clip
GERMAN = {
    "information": "Wer fragt: das **Institut**.",
    "consent": "Ich stimme zu.",
    "instructions": "Schauen Sie sich beide Videos an.",
    "before": "alter: number 18 to 99, required\nWie alt sind Sie?",
}
FLOW = (
    r"(\d+) participants consented and (\d+) finished. Of these, (\d+) gave no answer that counts"
    r" and (\d+) are left out by rule; (\d+) judgments by (\d+) participants count"
)
RIGHT = {"audio": 0.9, "no-audio": 0.5}  # shares of right answers
NAMES = ("leaves", "inattentive", "attentive", "phone", "program")
# The browser of a person: that of the tests says that a program steers it.
OF_A_PERSON = "Object.defineProperty(navigator, 'webdriver', { get: () => false })"
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


def pairs_pack(folder: Path, name: str, pairs: Sequence[tuple[int, int]], questions: int) -> Pack:
    """PACS: pairs without a clip in common, with so many questions each."""
    texts = {f"question{number:04}": {"label": number % 2, "text": f"Heavier? {number}"} for number in range(questions)}
    data = {f"object{one:04}_object{two:04}": texts for one, two in pairs}
    release = small(folder, val_data=data, val_data_mat=None, objects=None)
    pack = import_release(BENCHMARKS["pacs"], release, pack_name=name).pack
    stand_in_clips(pack)
    write_files(pack, SECONDS)
    return pack


def plan_of(person: Participant, rng: random.Random, *, heeds: bool) -> dict[int, str]:
    """The person's answer to each question of the sheet, by the number that their pages show."""
    items = Item.objects.select_related("pack").in_bulk()
    plan: dict[int, str] = {}
    for question in questions_of_sheet(person):
        item = items[question.item_id]
        is_right = heeds if item.pack.name == "easy" else rng.random() < RIGHT[question.condition]
        plan[question.number] = next(one for one in item.options if (one == answer_to(item)) is is_right)
    return plan


class Keyboard(Browsing):
    """Somebody at a browser who has no pointer."""

    def type(self, selector: str, text: str) -> None:
        """Replace what the field holds."""
        tab_to(self.page, selector)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def press(self, selector: str) -> None:
        """Press what leads to another page."""
        press_by_keyboard(self.page, selector)

    def key(self, selector: str, name: str) -> None:
        tab_to(self.page, selector)
        self.page.keyboard.press(name)


class Author(Keyboard):
    """The psychologist."""

    def make(self, attention: str) -> None:
        """Four fields, and those of *More*; the newest pack is chosen, and the wanted one stands below it."""
        self.go("/trials/new/?protocol=pacs-audio")
        self.type("[name=title]", "Klang")
        self.key("[name=pack]", "ArrowDown")
        self.type("[name=replicates]", "2")
        self.type("[name=items]", "8")
        self.key("details.fold > summary", "Enter")
        for name, value in {"slug": "klang", "attention": attention, "attention_items": "1"}.items():
            self.type(f"[name={name}]", value)
        for rule in ("missed-attention", "program"):
            self.key(f"[name=rules][value={rule}]", "Space")
        self.type("[name=qualified]", " ".join(NAMES))
        expect(self.page.locator("#design")).to_contain_text("People needed 4", use_inner_text=True)
        self.press("form[data-design] button.main")

    def write(self) -> None:
        """The texts, and the pay."""
        for part, body in GERMAN.items():
            self.go(f"/trials/klang/texts/{part}/de/")
            self.type("[name=body]", body)
            self.press("main form button.main")
        self.go("/trials/klang/pay/")
        self.type("[name=pay_amount]", "4,00")
        self.type("[name=pay_currency]", "EUR")
        self.press("main form button")

    def act(self, name: str) -> None:
        """Open or close the study, after its question."""
        self.go("/trials/klang/manage/")
        self.press(f"a[href$='/manage/{name}/']")
        self.press("main form button.main")

    def download(self, page: str, selector: str) -> BytesIO:
        self.go(f"/trials/klang/{page}/")
        tab_to(self.page, selector)
        with self.page.expect_download() as download:
            self.page.keyboard.press("Enter")
        return BytesIO(download.value.path().read_bytes())


class Listener(Keyboard):
    """A participant at the first clips, who takes a moment for each answer."""

    def __init__(self, browser: Browser, link: str, name: str, rng: random.Random) -> None:
        shape = PHONE if name == "phone" else DESKTOP
        super().__init__(browser, "", shape | {"locale": "de-DE", "user_agent": AGENT})
        self.context.add_init_script(OF_A_PERSON)
        self.name, self.rng = name, rng
        self.go(f"{link}?participant={name}")
        expect(self.page.locator("main")).to_contain_text("Wer fragt: das Institut")
        expect(self.page.locator(".lede")).to_contain_text("9 Fragen zu je zwei kurzen Videos")
        self.press("button[value=yes]")
        self.plan = plan_of(self.person, rng, heeds=name != "inattentive")
        self.type("[name=q_alter]", "33")
        self.press("button[type=submit]")
        for side, digits in hear(self.person.token).items():
            self.type(f"#{side}", digits)
        self.press("button[type=submit]")
        self.press("button[type=submit]")
        for name, right in quiz_of(self.person.token).items():
            values = self.page.locator(f"[name={name}]").evaluate_all("all => all.map((one) => one.value)")
            self.key(f"[name={name}]", "Space")
            for _ in range(values.index(right)):
                self.page.keyboard.press("ArrowDown")
        self.press("button[type=submit]")

    @property
    def person(self) -> Participant:
        return Participant.objects.get(token=self.page.url.split("/")[4])

    def take_part(self) -> Iterator[None]:
        """To the code; yields while a clip plays, so that several take part at once."""
        yield from self._watch()
        self._answer("object 1", is_last=True)
        self.press("main button[type=submit]")
        while on_this_page := self.page.locator("[data-questions] > li").count():
            for left in reversed(range(on_this_page)):
                yield from self._watch()
                number = self.page.locator("[data-trial] [name=position]").input_value()
                self._answer(self.plan[int(number)], is_last=not left)
            if self.page.locator("main input[value=break]").count():
                self.press("main button[type=submit]")

    def leave(self) -> None:
        """Close the page after one answer."""
        road = self.take_part()
        for _clip in range(2 + 2 + 1):  # of the practice, of a question, and the first of the next
            next(road)
        expect(self.page.locator("[data-outbox]")).to_have_text("Gespeichert: Video 1")
        self.context.close()

    def _watch(self) -> Iterator[None]:
        """Both clips, one after the other; the first one alone opens no answer."""
        answers, seen = self.page.locator(".answers button"), self.page.locator("[data-seen]:visible")
        for clip in range(2):
            expect(seen).to_have_count(clip)
            expect(self.page.locator("[data-play]:visible")).to_have_count(2)  # neither is playing
            expect(answers.first).to_be_disabled()
            self.page.keyboard.press("Space")
            yield
        expect(answers.first).to_be_enabled()
        self.page.wait_for_timeout(1000 * min(1.0, self.rng.lognormvariate(-2.2, 0.8)))

    def _answer(self, answer: str, *, is_last: bool) -> None:
        """By the key that stands on the button; the last answer of a page leads to the next one."""
        key = str(self.page.locator(f".answers button[value='{answer}']").get_attribute("data-key")).lower()
        with self.page.expect_navigation() if is_last else nullcontext():
            self.page.keyboard.press(key)


def by_http(address: str, rng: random.Random) -> Iterator[None]:
    """A program without a browser, which asks for every clip and waits as long as it lasts."""
    visitor, door = Visitor(address), f"/t/klang/?participant={NAMES[-1]}&lang=de"
    road = visitor.post(door, {**PageReader(visitor.get(door).text).fields, "choice": "yes"}).path
    person = Participant.objects.get(token=road.split("/")[2])
    page = PageReader(visitor.get(road).text)
    visitor.post(road, {"step": "before", **answers_to(page.fields["text"], rng)})
    steps = {"sound": hear(person.token), "instructions": {}, "quiz": quiz_of(person.token)}
    for step, fields in (steps | {"practised": {"answer": "object 1"}, "practice": {}}).items():
        page = PageReader(visitor.post(road, {"step": step, **fields}).text)
    plan = plan_of(person, rng, heeds=True)
    while page.positions or page.step == "break":
        for number in page.positions:
            for place in range(2):
                visitor.get(f"{road}m/{number}/{place}")
                yield
            visitor.post(f"{road}answer/", {"position": str(number), "answer": plan[number]}, JSON)
        page = PageReader(visitor.post(road, page.fields).text if page.step == "break" else visitor.get(road).text)


@pytest.fixture
def author(admin_client, live_server, chromium) -> Author:
    author, session = Author(chromium, live_server.url, DESKTOP), admin_client.cookies["sessionid"].value
    author.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    return author


@pytest.fixture
def attention(tmp_path) -> str:
    """The attention item as authors name it; the pack that is asked about is there, too."""
    pairs_pack(tmp_path / "asked", "asked", ((1, 2), (3, 4), (7, 8)), 4)
    return f"easy:{pairs_pack(tmp_path / 'easy', 'easy', ((5, 6),), 1).items.get().public_id}"


def test_a_study_in_german_with_and_without_sound_adds_up(author, attention, live_server, chromium):
    """Own texts, attention, pay, rules; one person leaves and one is a program."""
    author.make(attention)
    author.write()
    author.act("open")
    link, rng = author.page.get_by_label("Link for participants").input_value(), random.Random(4)
    Listener(chromium, link, NAMES[0], rng).leave()
    lapse(Sheet.objects.all())  # an hour later
    people = [Listener(chromium, link, name, rng) for name in NAMES[1:4]]
    deque(zip_longest(*(one.take_part() for one in people), by_http(live_server.url, rng)), maxlen=0)
    for one in people:
        expect(one.page.locator("[data-code]")).to_have_text(one.person.completion_code)
        assert min(one.person.judgments.values_list("watched", flat=True)) > 0.95
        assert one.complaints == []
    author.act("close")
    paid, looked_at = pay_of(author)
    assert looked_at >= {NAMES[-1]}  # and whose answers have a pattern by chance
    assert paid == {NAMES[0]: 4 / 8, **dict.fromkeys(set(NAMES[1:]) - looked_at, 4)}
    adds_up(ZipFile(author.download("export", "a[href$='export.zip']")))
    assert author.complaints == []


def pay_of(author: Author) -> tuple[dict[str, float], set[str]]:
    """Panel id -> what is recommended and approved in one go; and those whom a person looks at first."""
    author.go("/trials/klang/pay/")
    codes = dict(Identity.objects.values_list("participant__code", "external_id"))
    rows = author.page.locator("tr", has_text="look first").locator("th").all_inner_texts()
    author.press("a[href$='/pay/approve/']")
    author.press("main form button.main")
    paid = pd.read_csv(author.download("pay", "a[href$='list.csv']"))
    return dict(zip(paid.panel_id, paid.amount, strict=True)), {codes[row.strip()] for row in rows}


def adds_up(archive: ZipFile) -> None:
    """The tables give the flow and the figures of the methods."""
    tables = (archive.open(f"klang/data/study-klang_table-{name}_data.csv") for name in ("people", "long"))
    people, long = map(pd.read_csv, tables)
    methods = archive.read("klang/documentation/methods.md").decode()
    ended, primary = people[people.state == "finished"], long[long.in_primary == 1]
    out = ended[ended.left_out_by.notna() & (ended.counted > 0)]
    flow = [len(people), len(ended), (ended.counted == 0).sum(), len(out), len(primary), primary.participant.nunique()]
    found = re.search(FLOW, methods)
    assert found, methods
    assert [int(number) for number in found.groups()] == flow == [5, 4, 0, 2, 16, 2]
    assert set(out.left_out_by) == {"program", "missed-attention"}
    for condition, own in primary.groupby("condition"):
        votes = own.groupby("item").correct.mean()
        share = 100 * ((votes > 0.5) + 0.5 * (votes == 0.5)).mean()
        assert f"“{condition}”: The majority was right on {share:.1f} % of {len(votes)} clips" in methods
    assert set(long.condition) == set(RIGHT)
    assert "Ich stimme zu." in archive.read("klang/documentation/consent.md").decode()
