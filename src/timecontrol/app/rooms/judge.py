"""*Judge*: what systems wrote is rated by people, blind, on the paper's two scales."""

import time
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from timecontrol.app.desk import Desk
from timecontrol.app.parts import part, words
from timecontrol.app.studies import Studies
from timecontrol.errors import TimeControlError
from timecontrol.judging import TASKS, Shown, Study
from timecontrol.judging.report import markdown, report_of

OVER = "That was the last one. Thank you."


def room(studies: Studies) -> Callable[[Desk], None]:
    """Return what builds the room."""

    def build(desk: Desk) -> None:
        del desk  # nothing here waits for a model
        _build(studies)

    return build


def _build(studies: Studies) -> None:
    names = list(studies.files)
    who: Any = gr.State(None)
    with gr.Row(equal_height=False):
        study = gr.Dropdown(
            names, value=names[0] if names else None, label="Study", elem_id="judge-study"
        )
        name = gr.Textbox(
            label="Your name", info="Any word; by it you go on where you stopped.", max_lines=1,
            elem_id="judge-name",
        )  # fmt: skip
        begin = gr.Button("Begin", variant="primary", elem_id="judge-begin")
    status = gr.HTML(elem_id="judge-status")
    shown = gr.HTML(elem_id="judge-item")
    rating = part("rating")
    back = gr.Button("Change my last answer", visible=False, elem_id="judge-back")
    with gr.Accordion("Make a study", open=not names):
        gr.Markdown(
            "A file of JSON lines for each system, as `timecontrol generate --format jsonl` and "
            "`timecontrol infill --json` write them, or plain ones "
            '(`{"id": 1, "text": "..."}`, or with `"left"`, `"fill"` and `"right"`). '
            "Those who rate are not told which text is whose."
        )
        with gr.Row(equal_height=False):
            task = gr.Radio(
                [(task.question, key) for key, task in TASKS.items()],
                value="ending",
                label="What is judged",
                elem_id="judge-task",
            )
            title = gr.Textbox(label="Name of the study", max_lines=1, elem_id="judge-title")
        files = gr.File(
            label="Outputs (.jsonl), one file a system", file_count="multiple",
            elem_id="judge-files", height=120,
        )  # fmt: skip
        make = gr.Button("Make the study", elem_id="judge-make")
        made = gr.HTML(elem_id="judge-made")
    with gr.Accordion("Results, for those who do not rate", open=False):
        tell = gr.Button("Show the results of this study", elem_id="judge-tell")
        results = gr.Markdown(elem_id="judge-results")

    outputs = [who, status, shown, rating, back]

    def on_begin(chosen: str | None, given: str | None) -> Any:
        return _guarded(lambda: _next(studies.open(chosen), chosen, given or ""))

    def on_rate(now: Any, asked: Any, event: gr.EventData) -> Any:
        def work() -> Any:
            chosen, annotator = _session(now)
            own = studies.open(chosen)
            own.rate(annotator, str(event.item), int(event.rating), float(event.seconds))
            return _next(own, chosen, annotator)

        return _guarded(work, {**asked, "retry": time.time()} if asked else None)

    def on_back(now: Any) -> Any:
        def work() -> Any:
            chosen, annotator = _session(now)
            own = studies.open(chosen)
            last = own.last_item(annotator)
            if last is None:
                return _next(own, chosen, annotator)
            said = f"Your answer was {last[1]}: {own.task.labels[last[1] - 1]}."
            return (
                now,
                words(said),
                item_html(last[0]),
                _asked(last[0], again=True),
                _button(False),
            )

        return _guarded(work)

    def on_make(kind: str, called: str | None, given: list[str] | None) -> Any:
        try:
            found = studies.make(called or "", [Path(f) for f in given or []], kind)
        except TimeControlError as error:
            return gr.skip(), words(str(error), "failed"), gr.skip()
        finally:
            for file in given or []:
                Path(file).unlink(missing_ok=True)
        note = words(f"{found} is made. Give your name above, and begin.")
        return gr.Dropdown(list(studies.files), value=found), note, ""

    def on_tell(chosen: str | None) -> str:
        try:
            own = studies.open(chosen)
            return markdown(report_of(own, f"timecontrol judge report {own.file.name}"))
        except TimeControlError as error:
            return escape(str(error))

    def on_load() -> Any:
        known = list(studies.files)
        return gr.Dropdown(known, value=known[0] if known else None)

    quiet = {"show_progress": "hidden", "concurrency_limit": None}
    gr.on(None, on_load, None, study, **quiet)  # on each visit: studies may have been made
    gr.on([begin.click, name.submit], on_begin, [study, name], outputs, **quiet)
    rating.rate(on_rate, [who, rating], outputs, **quiet)
    back.click(on_back, who, outputs, **quiet)
    make.click(on_make, [task, title, files], [study, made, status], **quiet)
    tell.click(on_tell, study, results, **quiet)


def item_html(shown: Shown) -> str:
    """Return an item as it is seen; every text of it is shown as it is."""
    texts = shown.texts
    if "fill" in texts:
        inside = " ".join(
            part
            for part in (
                escape(str(texts["left"])),
                f"<mark>{escape(str(texts['fill']))}</mark>",
                escape(str(texts["right"])),
            )
            if part
        )
    else:
        lines = [escape(str(line)) for line in texts["lines"]]
        inside = "\n".join(lines if texts.get("whole") else ["…", *lines])
    hint = escape(shown.task.hint)
    return f'<p class="tc-quiet">{hint}</p><div class="tc-item" lang="">{inside}</div>'


def _session(now: Any) -> tuple[str, str]:
    if not now:
        raise TimeControlError("Give your name, and begin.")
    return now[0], now[1]


def _next(study: Study, chosen: str | None, annotator: str) -> tuple[Any, ...]:
    """Return what is seen next."""
    found = study.next_item(annotator)
    progress = study.progress(annotator)
    now = (chosen, annotator)
    back = _button(progress.done > 0)
    if found is None:
        return now, words(f"{OVER} You rated {progress.done}."), "", None, back
    told = f"{progress.done} done, {progress.left} to go. Keys 1 to 5 answer."
    if study.introduction and not progress.done:
        told = f"{study.introduction} {told}"
    return now, words(told), item_html(found), _asked(found), back


def _asked(shown: Shown, again: bool = False) -> Mapping[str, Any]:
    task = shown.task
    return {"item": shown.item, "question": task.question, "labels": list(task.labels),
            "again": again}  # fmt: skip


def _button(visible: bool) -> Any:
    return gr.Button(visible=visible)


def _guarded(work: Callable[[], Any], asked: Any = None) -> Any:
    """Return what work gives, or an error as words with everything else as it was.

    Args:
        work: What is done.
        asked: What the rating shows then, so that one can answer again; ``None``: what it shows.
    """
    try:
        return work()
    except TimeControlError as error:
        left = gr.skip() if asked is None else asked
        return gr.skip(), words(str(error), "failed"), gr.skip(), left, gr.skip()
