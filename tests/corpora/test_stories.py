import json
from pathlib import Path

from timecontrol.corpora import open_corpus


def test_the_five_sentences_of_a_story_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n"
        'a-1,T,"One. Still one.",Two.,Three.,Four.,Five.\n'
    )
    [document] = open_corpus(f"rocstories:{path}").documents()
    assert document.sentences == ("One. Still one.", "Two.", "Three.", "Four.", "Five.")
    assert document.tags == (None,)


def test_episodes_are_split_across_hard_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    episodes = ["There was\na king. He had\n\nno crown", "The end."]
    path.write_text(json.dumps({"id": "k", "sections": episodes, "sentences": ["There was"]}))
    [document] = open_corpus(f"stories:{path}").documents()
    assert [s.sentences for s in document.sections] == [
        ("There was a king.", "He had", "no crown"), ("The end.",),
    ]  # fmt: skip


def test_sentences_stand_in_where_there_are_no_episodes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"id": "k", "sections": [" "], "sentences": ["A b.", "C."]}))
    [document] = open_corpus(f"stories:{path}").documents()
    assert document.sentences == ("A b.", "C.")


def test_episodes_apart_stay_in_the_split_of_their_story(tmp_path: Path) -> None:
    lines = [{"id": f"k{i}", "sections": [f"One {i}. Two.", f"Three {i}."]} for i in range(40)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)))
    whole = {d.id: d for d in open_corpus(f"stories:{tmp_path}").documents()}
    apart = list(open_corpus(f"episodes:{tmp_path}").documents())
    assert len(apart) == 80
    assert [d.id for d in apart[:2]] == ["k0/0", "k0/1"]
    for document in apart:
        assert document.group is not None
        assert document.split == whole[document.group].split
        assert len(document.sections) == 1


def test_windows_are_five_neighbouring_sentences_of_an_episode(tmp_path: Path) -> None:
    words = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "owl", "pig", "ram", "yak"]
    one = " ".join(f"The {word} ran." for word in words)
    lines = [{"id": f"k{i}", "sections": [one, "Too short. Two."]} for i in range(40)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)))
    whole = {d.id: d for d in open_corpus(f"stories:{tmp_path}").documents()}
    found = list(open_corpus(f"windows:{tmp_path}").documents())
    assert len(found) == 80
    assert [d.id for d in found[:2]] == ["k0/0/0", "k0/0/1"]
    assert found[0].sentences + found[1].sentences == whole["k0"].sentences[:10]
    for document in found:
        assert document.tags == (None,)
        assert document.group is not None
        assert document.split == whole[document.group].split
