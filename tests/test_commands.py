"""Every command that README and docs show is one that can be typed: verbs, options, choices.

What they do is tried by ``make slow`` (``test_commands_run.py``).
"""

import re
import subprocess
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import typer

from tests.shown import KNOWN, ROOT, TODAY, Command, commands, mentions, options
from timecontrol.bases import BASES
from timecontrol.cli import USAGE_ERROR, app
from timecontrol.cli.generate import FORMATS
from timecontrol.corpora import CORPORA
from timecontrol.decoder import settings as decoder
from timecontrol.encoder import settings as encoder
from timecontrol.features import POOLINGS
from timecontrol.plans import KINDS
from timecontrol.pretrained import DECODERS, SHIPPED
from timecontrol.sentences import SPLITTERS
from timecontrol.tokens import STYLES

ROOT_COMMAND: Any = typer.main.get_command(app)
CALLS = [(c, call) for page in TODAY for c in commands(page) for call in c.calls]
OURS = [(c, call[1:]) for c, call in CALLS if call[0] == "timecontrol"]
MENTIONS = [m for page in TODAY for m in mentions(page)]
OPTIONS = [o for page in TODAY for o in options(page)]

PLACE = r"[A-Z_]+(:best-\d+|:[a-z-]+)?|.*[/.:+].*|text|-"
"""A placeholder (RUN), a path, a hub id: what may stand for any name."""
CHOICES: dict[str, Iterable[str]] = {
    "arrangement": decoder.ARRANGEMENTS,
    "base": BASES,
    "decoder_base": BASES,
    "device": ("auto", "cpu", "cuda", "mps"),
    "dtype": ("auto", "float32", "bfloat16", "float16"),
    "encoder": SHIPPED,
    "encoder_base": BASES,
    "form": {*STYLES, *FORMATS},
    "fusion": decoder.FUSIONS,
    "keep": decoder.KEEPS,
    "loss": encoder.LOSSES,
    "model": {**DECODERS, **SHIPPED},
    "objective": encoder.OBJECTIVES,
    "plan": KINDS,
    "plans": KINDS,
    "pooling": POOLINGS,
    "preset": STYLES.keys() - {"decided"},
    "scale": ("smoke", "small", "full"),
    "split": ("train", "val", "test"),
    "split_by": ("auto", "index", "published", "hash"),
    "splitter": SPLITTERS,
    "told": decoder.TOLD,
    "tokenizer": BASES,
    "trim": decoder.TRIMS,
}
"""What an option may be given, by its name in Python; what it is checked against when it runs."""
PER_VERB: dict[tuple[str, str], Iterable[str]] = {
    ("train decoder", "method"): decoder.METHODS,
    ("plan", "kind"): KINDS,
    ("generate", "follow"): ("sentences", "budget"),
    ("generate", "stop"): ("end", "plan"),
    ("plot", "form"): ("png", "svg", "pdf"),
    ("evaluate discourse", "preset"): encoder.PRESETS,
    ("evaluate discourse", "definition"): encoder.PRESETS,
    ("evaluate discourse", "train"): encoder.OBJECTIVES,
}


def parsed(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the verb of a command and the values of its parameters, without running anything."""
    command, context, rest, verb = ROOT_COMMAND, None, list(words), ""
    while True:
        context = command.make_context(verb or "timecontrol", rest, parent=context)
        left = [*getattr(context, "_protected_args", []), *context.args]
        if not (hasattr(command, "commands") and left):
            return verb, context.params
        name, command, rest = command.resolve_command(context, left)
        verb = f"{verb} {name}".strip()


def followed(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the first of some words name, and the words after it."""
    command = ROOT_COMMAND
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def flags(command: Any) -> set[str]:
    """Return all spellings of a command's options."""
    return {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"-h", "--help"}


def every_command(command: Any = ROOT_COMMAND) -> list[Any]:
    """Return a command and all under it."""
    below = getattr(command, "commands", {}).values()
    return [command, *(c for b in below for c in every_command(b))]


def wrong(verb: str, name: str, value: Any) -> list[str]:
    """Return the values of a parameter that are none of its choices."""
    allowed = PER_VERB.get((verb, name), CHOICES.get(name))
    given = value if isinstance(value, list | tuple) else str(value).split(",")
    if allowed is None or value is None:
        return []
    return [str(g) for g in given if str(g) not in allowed and not re.fullmatch(PLACE, str(g))]


def test_there_are_commands_on_every_page_that_explains_a_verb() -> None:
    assert len(OURS) > 40
    assert {"README.md", "docs/coherence.md", "docs/decoder.md", "docs/own-data.md"} <= {
        c.page for c, _ in OURS
    }


@pytest.mark.parametrize(("command", "words"), OURS, ids=lambda x: str(x)[:90])
def test_a_command_parses(command: Command, words: list[str]) -> None:
    try:
        verb, values = parsed(words)
    except USAGE_ERROR as error:
        pytest.fail(f"{command}: {error.format_message()}")
    for name, value in values.items():
        assert not wrong(verb, name, value), f"{command}: {name} {wrong(verb, name, value)}"


@pytest.mark.parametrize(("command", "words"), OURS, ids=lambda x: str(x)[:90])
def test_its_corpus_and_bases_are_known(command: Command, words: list[str]) -> None:
    verb, values = parsed(words)
    if verb == "bases install":
        assert set(values["names"]) <= set(BASES), command
    for part in str(values.get("spec", "")).split("+") if values.get("spec") else []:
        name = part.partition(":")[0]
        assert name in CORPORA or name == "list" or re.fullmatch(PLACE, part), command


@pytest.mark.parametrize("command", MENTIONS, ids=str)
def test_a_verb_that_is_mentioned_exists_with_its_options(command: Command) -> None:
    [words] = Command(command.page, command.line.replace("|", "/")).calls
    verb, rest = followed(words[1:])
    if hasattr(verb, "commands") and rest and not rest[0].startswith("-"):
        assert set(rest[0].split("/")) <= set(verb.commands), command
        verb = verb.commands[rest[0].split("/")[0]]
    assert {w for w in rest if re.match(r"--?[a-z]", w)} <= flags(verb), command


@pytest.mark.parametrize("option", OPTIONS, ids=str)
def test_an_option_that_is_mentioned_exists(option: Command) -> None:
    flag, *values = option.line.split()
    having = [c for c in every_command() if flag in flags(c)]
    assert having, option
    names = {p.name for c in having for p in c.params if flag in (*p.opts, *p.secondary_opts)}
    known = [PER_VERB[k] for k in PER_VERB if k[1] in names]
    known += [CHOICES[n] for n in names if n in CHOICES]
    if values and known:
        found = values[0]
        assert any(found in choices for choices in known) or re.fullmatch(PLACE, found), option


def test_the_shell_can_read_them() -> None:
    for page in TODAY:
        script = "\n".join(c.line for c in commands(page))
        ran = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
        assert ran.returncode == 0, f"{page.name}: {ran.stderr}"


def test_other_programs_are_there() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command, words in CALLS:
        assert words[0] in KNOWN, f"{command}: {words[0]}?"
        if words[0] == "make":
            assert set(words[1:]) <= set(targets), command
        if words[:2] == ["python", "-m"]:
            assert (ROOT / f"{words[2].replace('.', '/')}.py").is_file(), command


@pytest.mark.parametrize(
    "line",
    [
        "scores essay.txt",
        "score essay.txt --htm essay.html",
        "score essay.txt --shuffles many",
        "train encoder text:my-texts",
        "evaluate structures text:my-texts --model runs/writer",
        "score --compare old.txt",
    ],
)
def test_a_mistake_is_noticed(line: str) -> None:
    with pytest.raises(USAGE_ERROR):
        parsed(line.split())


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("train encoder text:my-texts --out runs/a --objective bridges", "objective"),
        ("generate --model wikisections", "model"),
        ("train decoder text:my-texts --out runs/b --method plan", "method"),
        ("evaluate structure text:my-texts --model runs/b --plans bridge,meen", "plans"),
    ],
)
def test_a_wrong_choice_is_noticed(line: str, name: str) -> None:
    verb, values = parsed(line.split())
    assert wrong(verb, name, values[name])


def test_what_is_shown_is_collected(tmp_path: Any, shown: Callable[[str], list[str]]) -> None:
    page = (
        "# Page\n\n    timecontrol bases        # a remark\n    and prose\n\n"
        "```sh\necho one \\\n  two | timecontrol infill -\n# a comment\n\n```\n\n"
        "```console\n$ timecontrol corpus synthetic\nthe output\n```\n"
        "```text\ntimecontrol is no command here\n```\n`timecontrol plot`\n"
    )
    assert shown(page) == [
        "echo one two | timecontrol infill -",
        "timecontrol corpus synthetic",
        "timecontrol bases",
    ]


LEAVES = [c for c in every_command() if not hasattr(c, "commands")]


@pytest.mark.parametrize("command", LEAVES, ids=[c.name for c in LEAVES])
def test_every_command_has_an_example_that_can_be_typed(command: Any) -> None:
    example = str(command.epilog).removeprefix("Example: ")
    assert command.epilog == f"Example: {example}"
    for call in Command("help", example).calls:
        if call[0] == "timecontrol":
            verb, values = parsed(call[1:])
            assert verb.split()[-1] == command.name
            assert not [name for name in values if wrong(verb, name, values[name])]


@pytest.fixture
def shown(tmp_path: Any) -> Callable[[str], list[str]]:
    def found(text: str) -> list[str]:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        return [c.line for c in commands(page)]

    return found
