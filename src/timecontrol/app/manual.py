"""The page of the HTTP API: each path with its fields, an example and what comes of it.

Made from the OpenAPI schema, in one piece: nothing is loaded from anywhere, and there is no script.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from timecontrol.pages.style import STYLE

Schema = dict[str, Any]

OWN_STYLE = """
pre { overflow-x: auto; padding: .75rem; background: var(--ground); border: 1px solid var(--line);
  border-radius: .4rem; font-size: .85rem; line-height: 1.45; overflow-wrap: normal; }
code { font-size: .92em; }
.method { color: var(--link); font-weight: 700; }
"""

BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "{} characters or more",
    "maxLength": "at most {} characters",
    "minItems": "{} or more",
    "maxItems": "at most {}",
}


def manual(schema: Schema, base: str, token: bool) -> str:
    """Return the page.

    Args:
        schema: OpenAPI's.
        base: The server's address, for the examples.
        token: Whether a token is needed.
    """
    info = schema["info"]
    parts = [
        _endpoint(schema, path, method, what, base, token)
        for path, methods in schema["paths"].items()
        for method, what in methods.items()
    ]
    links = " · ".join(f'<a href="#{_anchor(path)}">{escape(path)}</a>' for path in schema["paths"])
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}</title><style>{STYLE}{OWN_STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])}</h1>"
        f'<p class="quiet">Version {escape(info["version"])}</p>'
        f"<p>{escape(info['description'])}</p><p>{links}</p>{''.join(parts)}"
        '<footer><a href="openapi.json">openapi.json</a></footer></body></html>'
    )


def _endpoint(schema: Schema, path: str, method: str, what: Schema, base: str, token: bool) -> str:
    """Return the section of a path."""
    content = what.get("requestBody", {}).get("content", {}).get("application/json", {})
    rows = "".join(_rows(schema, content["schema"])) if content else ""
    table = (
        "<table><thead><tr><th>field</th><th>what it is</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
        if rows
        else ""
    )
    answers = what["responses"]
    good = answers["200"].get("content", {}).get("application/json", {}).get("example")
    shown = f"<h3>Answer</h3><pre>{escape(_pretty(good))}</pre>" if good is not None else ""
    codes = "".join(
        f"<tr><th>{code}</th><td>{escape(answer['description'])}</td></tr>"
        for code, answer in sorted(answers.items())
    )
    return (
        f'<section id="{_anchor(path)}"><h2><span class="method">{method.upper()}</span> '
        f"<code>{escape(path)}</code></h2><p>{escape(what.get('description', ''))}</p>{table}"
        f"<h3>Example</h3><pre>{escape(curl(base, path, content.get('example'), token))}</pre>"
        f"{shown}<details><summary>Codes</summary><table><tbody>{codes}</tbody></table></details>"
        "</section>"
    )


def curl(base: str, path: str, body: Any, token: bool) -> str:
    """Return a command line that asks."""
    parts = [f"curl {base}{path}"]
    if token:
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if body is not None:
        parts.append("-H 'Content-Type: application/json'")
        parts.append("-d '" + json.dumps(body, ensure_ascii=False).replace("'", r"'\''") + "'")
    return " \\\n  ".join(parts)


def _rows(schema: Schema, form: Schema, before: str = "") -> Iterator[str]:
    """Yield a row for each field, and for those within."""
    form = _found(schema, form)
    for name, field in form.get("properties", {}).items():
        kind = [_kind(schema, field)]
        if name in form.get("required", ()):
            kind.append("needed")
        elif field.get("default") is not None:
            kind.append(f"otherwise {json.dumps(field['default'])}")
        yield (
            f"<tr><th><code>{escape(before + name)}</code></th>"
            f"<td>{escape(field.get('description', ''))} "
            f'<span class="quiet">({escape("; ".join(kind))})</span></td></tr>'
        )
        items = _found(schema, field.get("items", {}))
        if "properties" in items:
            yield from _rows(schema, items, f"{before}{name}[].")


def _kind(schema: Schema, field: Schema) -> str:
    """Return what a field is, with its bounds."""
    if "anyOf" in field:
        kinds = [_kind(schema, one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(kinds)
    found = _found(schema, field)
    kind = found.get("type", "")
    name = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if name == "array":
        name = f"list of {_kind(schema, found.get('items', {}))}"
    bounds = [text.format(_plain(found[key])) for key, text in BOUNDS.items() if key in found]
    return ", ".join([name, *bounds])


def _found(schema: Schema, part: Schema) -> Schema:
    """Return what a reference refers to."""
    while "$ref" in part:
        target: Any = schema
        for key in part["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        part = target
    return part


def _plain(number: float) -> str:
    """Return a number without a point where it is whole."""
    return str(int(number) if number == int(number) else number)


def _pretty(value: Any) -> str:
    """Return an answer as JSON, a line for each of its parts."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    lines = (f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _anchor(path: str) -> str:
    return path.strip("/").replace("/", "-").replace(".", "-")
