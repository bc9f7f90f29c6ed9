from tests.reproduction.test_report import ours, record, row
from timecontrol.reproduction.cells import cells
from timecontrol.reproduction.lines import Line, lines
from timecontrol.reproduction.page import page
from timecontrol.reproduction.report import sections


def test_every_table_is_in_the_page() -> None:
    whole = lines(cells(), {}, lambda work: "")
    parts = sections(whole, {}, "small")
    found = page(parts, whole, {}, "timecontrol reproduce --report")
    assert found.count("<table>") == 1 + sum(len(part.tables) for part in parts)
    assert found.count("<section") == 1 + len(parts)
    assert all(f'<a href="#{p.name}">' in found and f'id="{p.name}"' in found for p in parts)


def test_a_page_runs_nothing_and_escapes_what_was_written() -> None:
    example = {"document": 0, "tail": "<script>alert(1)</script>", "known 8-grams": 0.0}
    line = Line(row("forced_long_ordering"), ours())
    parts = sections([line], {"forced_long_ordering": ['figures/"x.png']}, "small")
    found = page(parts, [line], {"a": record("texts", examples=[example])}, "c & d")
    assert "<script" not in found
    assert "&lt;script&gt;" in found
    assert 'src="figures/&quot;x.png"' in found
    assert "c &amp; d" in found
    assert "default-src 'none'" in found
    assert "Looks at test documents: 0" in found
