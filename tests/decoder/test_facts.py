import json
from dataclasses import replace

from timecontrol.corpora import open_corpus
from timecontrol.corpora.layout import DIALOGUE, HOWTO, STORY, WIKISECTION
from timecontrol.decoder.facts import (
    about_base,
    about_corpus,
    about_encoder,
    identity_of,
    layout_dict,
    layout_from,
)
from timecontrol.encoder.documents import choose_from


def test_a_layout_comes_back_from_json() -> None:
    for layout in (DIALOGUE, HOWTO, STORY, WIKISECTION):
        assert layout_from(json.loads(json.dumps(layout_dict(layout)))) == layout


def test_whatever_decides_the_weights_changes_the_identity(bases: dict[str, str]) -> None:
    corpus = open_corpus("synthetic:recipes,documents=20")
    chosen = choose_from(corpus)
    about = {
        "settings": {"rate": 1.0},
        "base": about_base(bases["llama"]),
        "encoder": about_encoder(None, None),
        "layout": layout_dict(corpus.layout),
        "corpus": about_corpus(corpus, chosen),
    }
    first = identity_of(about, chosen)
    assert identity_of(json.loads(json.dumps(about)), chosen) == first
    others = [
        {"settings": {"rate": 2.0}},
        {"base": about_base(bases["gpt2"])},
        {"encoder": {"identity": "another"}},
        {"layout": layout_dict(STORY)},
    ]
    found = [identity_of({**about, **other}, chosen) for other in others]
    found.append(identity_of(about, replace(chosen, train=chosen.train[1:])))
    assert len({first, *found}) == 6
    assert identity_of({**about, "made_with": "other versions"}, chosen) == first
