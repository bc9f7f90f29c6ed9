"""Files of outputs to items: what is judged, once each, and whose it is.

An item is what is seen. Its id is a hash of that, so the same words by two systems are one item,
judged once and counted for both. An output says that an item is what a system gave for an example.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from timecontrol.corpora.files import BadRecord, check, path_text
from timecontrol.corpora.splits import stem
from timecontrol.errors import InputError, TimeControlError, pick
from timecontrol.judging.kept import Texts, document_of, is_kept, texts_of, told_of
from timecontrol.judging.lines import Told, digest, told
from timecontrol.judging.tasks import TASKS
from timecontrol.judging.values import values
from timecontrol.sentences import clean

TAIL = 5
"""Lines of a text, or sentences on each side of a gap, that are shown."""


@dataclass(frozen=True)
class Output:
    """What a system gave for an example."""

    system: str
    example: str
    item: str
    """The id of what is seen."""
    place: str
    """File and line."""


@dataclass(frozen=True)
class Material:
    """All that is judged."""

    task: str
    tail: int
    outputs: tuple[Output, ...]
    items: Mapping[str, dict[str, Any]]
    """What is seen, by id."""
    systems: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """What is known of each."""

    @property
    def shared(self) -> int:
        """Outputs that are the same as another one, so that both are one item."""
        return len(self.outputs) - len(self.items)

    @property
    def digest(self) -> str:
        """A hash of what is judged, and for which systems."""
        outputs = sorted([o.system, o.example, o.item] for o in self.outputs)
        return digest([self.task, self.tail, outputs])

    def examples(self) -> dict[str, list[Output]]:
        """Return the outputs by example."""
        found: dict[str, list[Output]] = {}
        for output in self.outputs:
            found.setdefault(output.example, []).append(output)
        return found


def read_outputs(
    files: Sequence[Path],
    task: str,
    *,
    tail: int = TAIL,
    systems: Sequence[str] = (),
    corpus: str | None = None,
) -> Material:
    """Return what files of outputs hold.

    Args:
        files: JSON lines, one file or several (``lines``, ``kept``).
        task: A key of ``TASKS``.
        tail: Lines of a text, or sentences on each side of a gap, that are shown.
        systems: The system of each file, in their order; otherwise lines say it, or else the
            file's name is it.
        corpus: Whose documents gaps are in, where the files have the fillings alone.

    Raises:
        InputError: A line is none of an output, or told before.
        TimeControlError: The files do not fit together.
    """
    pick(TASKS, task, "task")
    if tail < 1:
        raise TimeControlError(f"tail is {tail}: 1 line or more.")
    if systems and len(systems) != len(files):
        raise TimeControlError(
            f"--system names {len(systems)} systems, and there are {len(files)} files: one each."
        )
    if not files:
        raise TimeControlError("No files of outputs: give one or more.")
    for i, file in enumerate(files):
        if file.resolve() in {other.resolve() for other in files[:i]}:
            raise TimeControlError(f"{file} is given twice.")
    made = _Making(task, tail)
    for number, file in enumerate(files):
        made.read(file, systems[number] if systems else None, corpus)
    found = Material(task, tail, tuple(made.outputs), made.items, made.systems)
    _refuse_twins(found)
    return found


def only(material: Material, count: int, seed: int) -> Material:
    """Return so many examples, chosen by chance among those that every system has.

    Raises:
        TimeControlError: There are not so many.
    """
    whole = [e for e, own in material.examples().items() if len(own) == len(material.systems)]
    if not 1 <= count <= len(whole):
        raise TimeControlError(
            f"{count} examples are wanted, and {len(whole)} have an output of every system."
        )
    chosen = set(sorted(whole, key=lambda example: digest([seed, example]))[:count])
    outputs = tuple(o for o in material.outputs if o.example in chosen)
    left = {o.item for o in outputs}
    items = {item: shown for item, shown in material.items.items() if item in left}
    return replace(material, outputs=outputs, items=items)


def placed(material: Material, rows: Mapping[str, Mapping[str, Any]]) -> Material:
    """Return the same, told for which cells of the paper's tables systems stand.

    Args:
        material: What is judged.
        rows: By system ``dataset``, ``method`` and ``latent_dim``.
    """
    systems = {name: dict(own) for name, own in material.systems.items()}
    for name, row in rows.items():
        pick(systems, name, "system").update(row)
    return replace(material, systems=systems)


class _Making:
    """What has been read so far."""

    def __init__(self, task: str, tail: int) -> None:
        self.task, self.tail = task, tail
        self.outputs: list[Output] = []
        self.items: dict[str, dict[str, Any]] = {}
        self.systems: dict[str, dict[str, Any]] = {}
        self.seen: dict[tuple[str, str], str] = {}
        self.unnamed: Counter[str] = Counter()
        """Outputs without an example, by system."""
        self.homes: dict[str, Path] = {}
        """Files whose name is a system."""

    def read(self, file: Path, system: str | None, corpus: str | None) -> None:
        """Take in a file."""
        lines = list(values(file))
        texts: Texts | None = None
        if self.task == "infill" and any(is_kept(value) for _, value in lines):
            texts = self._texts(file, lines, corpus)
        for line, value in lines:
            try:
                kept = texts is not None and is_kept(value)
                own = [told_of(value, texts, self.tail)] if kept and texts else None
                name = self._system(file, value, system)
                for one in own or told(value, self.task, self.tail):
                    self._add(one, name, f"{path_text(file)}:{line}")
            except BadRecord as bad:
                raise InputError(file, line, str(bad)) from None

    def _texts(
        self, file: Path, lines: Sequence[tuple[int, dict[str, Any]]], corpus: str | None
    ) -> Texts:
        """Return the documents that gaps are in."""
        wanted = set()
        for line, value in lines:
            if is_kept(value):
                try:
                    wanted.add(document_of(value))
                except BadRecord as bad:
                    raise InputError(file, line, str(bad)) from None
        if corpus is None:
            raise TimeControlError(
                f"{file} holds what was written into gaps, without the texts about them: name the "
                "corpus, as in --corpus windows."
            )
        return texts_of(corpus, wanted)

    def _system(self, file: Path, value: dict[str, Any], given: str | None) -> str:
        """Return whose a line is."""
        own = value.get("system")
        if own is not None and (not isinstance(own, str) or not own.strip()):
            raise BadRecord(f"'system' must be a name, got {own!r:.40}")
        own = own.strip() if own is not None else None
        if own is not None and given is not None and own != given:
            raise BadRecord(f"it is of the system {own!r}, and --system says {given!r}")
        if own is not None or given is not None:
            return clean(check(str(own or given)))
        name = path_text(Path(stem(file)))
        if self.homes.setdefault(name, file) != file:
            raise BadRecord(
                f"the file's name would be its system, and {self.homes[name]} has the same: name "
                "them, with a --system for each file"
            )
        return name

    def _add(self, one: Told, system: str, place: str) -> None:
        """Take in an output."""
        known = self.systems.setdefault(system, one.about)
        if known != one.about:
            what = next(k for k in {**known, **one.about} if known.get(k) != one.about.get(k))
            raise BadRecord(
                f"the lines of the system {system!r} differ in {what}: give the systems names"
            )
        example = one.example
        if example is None:
            self.unnamed[system] += 1
            example = f"#{self.unnamed[system]}"  # the k-th of one goes with the k-th of another
        if (system, example) in self.seen:
            raise BadRecord(
                f"{system!r} has an output for the example {example!r} already, at "
                f"{self.seen[system, example]}"
            )
        self.seen[system, example] = place
        item = digest([self.task, one.shown])
        self.items[item] = one.shown
        self.outputs.append(Output(system, example, item, place))


def _refuse_twins(material: Material) -> None:
    """Refuse two systems all of whose outputs are the same."""
    alike: dict[frozenset[tuple[str, str]], str] = {}
    for name in material.systems:
        own = frozenset((o.example, o.item) for o in material.outputs if o.system == name)
        if own in alike:
            raise TimeControlError(
                f"The systems {alike[own]!r} and {name!r} have the same outputs throughout: is one "
                "file given twice?"
            )
        alike[own] = name
