"""The page of families matches the inputs of the tiny builds and the library's declarations."""

from evaluation.adapters.weights import EARS
from tests.evaluation import families_table
from tests.evaluation.chosen_families import chosen


def test_the_page_of_families_is_as_found_out_now_and_names_what_others_need():
    opened = chosen(families_table.tiny_builds())
    assert families_table.written() == families_table.part(opened)
    assert families_table.tiny_builds().keys() == families_table.written_inputs().keys() - {"families"}
    open_too = {name for name, marks in families_table.declared().items() if "✓" in marks}
    assert open_too - set(families_table.UNASKABLE) == set(families_table.NEEDING_A_PACKAGE)
    assert all(name in families_table.PAGE.read_text() for name in families_table.NEEDING_A_PACKAGE)
    assert set(families_table.UNASKABLE) <= set(families_table.declared())


def test_every_family_that_is_said_to_hear_has_a_part_that_the_site_knows_as_ears():
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    hearing = [name for name, marks in families_table.declared().items() if marks[-1] == "✓"]
    deaf = [name for name in hearing if not set(EARS) & set(CONFIG_MAPPING[name].sub_configs)]
    assert sorted(set(deaf) - set(families_table.UNASKABLE)) == []
    assert "granite_speech" in hearing
