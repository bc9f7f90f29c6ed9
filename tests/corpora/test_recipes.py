import json
from pathlib import Path

from timecontrol.corpora import open_corpus


def test_ingredients_are_one_unit_of_names_where_there_are_names(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        'title,ingredients,directions,NER\nSoup,"[""1 leek, cut""]",'
        '"[""Cut. Boil."", ""Serve.""]","[""leek"", ""salt""]"\n'
        'Tea,"[""1 l water""]","[""Boil.""]","[]"\n'
    )
    soup, tea = open_corpus(f"recipenlg:{path}").documents()
    assert [(s.tag, s.sentences) for s in soup.sections] == [
        ("TITLE", ("Soup",)),
        ("INGREDIENTS", ("Leek, salt",)),
        ("DIRECTIONS", ("Cut.", "Boil.", "Serve.")),
    ]
    assert tea.sections[1].sentences == ("1 l water",)
    assert (soup.id, tea.id) == ("x/0", "x/1")


def test_json_lines_keep_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    recipe = {"id": "http://a", "title": "T", "ingredients": ["a"], "directions": ["Mix."]}
    path.write_text(json.dumps(recipe))
    [document] = open_corpus(f"recipes:{path}").documents()
    assert document.id == "http://a"


def test_an_id_column_of_a_csv_is_no_id(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id,title,ingredients,directions\n7,T,"[""a""]","[""Mix.""]"\n')
    [document] = open_corpus(f"recipenlg:{path}").documents()
    assert document.id == "x/0"
