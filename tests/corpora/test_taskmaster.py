import json
from pathlib import Path

from timecontrol.corpora import open_corpus


def test_upper_and_lower_case_speakers_empty_turns_and_extra_keys(tmp_path: Path) -> None:
    path = tmp_path / "data_00.json"
    turns = [("USER", "Hi.\n"), ("ASSISTANT", " "), ("assistant", "Yes?  No."), ("user", "Bye.")]
    value = {
        "conversation_id": "dlg-1",
        "instruction_id": "x",
        "vertical": "Movies",
        "utterances": [
            {"index": i, "speaker": s, "text": t, "segments": [], "apis": []}
            for i, (s, t) in enumerate(turns)
        ],
    }
    path.write_text(json.dumps([value], indent=4))
    [document] = open_corpus(f"taskmaster:{path}").documents()
    assert document.id == "dlg-1"
    assert [(s.tag, s.sentences) for s in document.sections] == [
        ("USER", ("Hi.",)), ("ASSISTANT", ("Yes? No.",)), ("USER", ("Bye.",)),
    ]  # fmt: skip
