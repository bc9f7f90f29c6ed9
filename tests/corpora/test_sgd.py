import json
from pathlib import Path

from timecontrol.corpora import open_corpus


def dialogue(name: str, text: str) -> dict[str, object]:
    turns = [{"speaker": "USER", "utterance": text}, {"speaker": "SYSTEM", "utterance": "Ok."}]
    return {"dialogue_id": name, "services": ["A"], "turns": turns}


def test_ids_that_repeat_across_published_splits_are_kept_apart(tmp_path: Path) -> None:
    for split in ("train", "dev", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "schema.json").write_text("[]")
        (tmp_path / split / "dialogues_001.json").write_text(
            json.dumps([dialogue("1_0", f"Hi {split}.")])
        )
    found = {
        d.id: (d.split, d.sections[0].text) for d in open_corpus(f"sgd:{tmp_path}").documents()
    }
    assert found == {
        "train/1_0": ("train", "Hi train."),
        "val/1_0": ("val", "Hi dev."),
        "test/1_0": ("test", "Hi test."),
    }


def test_the_system_is_the_assistant(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(dialogue("x", "Hi.")))
    [document] = open_corpus(f"sgd:{path}").documents()
    assert document.tags == ("USER", "ASSISTANT")
