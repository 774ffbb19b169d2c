"""Tables of HTML, as notebooks show an object by its ``_repr_html_``."""

from collections.abc import Iterable, Sequence
from html import escape


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a table. Integers have separators of thousands, and None is an empty cell."""
    head = "".join(f"<th>{_text(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><caption>{_text(caption)}</caption><tr>{head}</tr>{body}</table>"


def note(text: str) -> str:
    """Returns a paragraph."""
    return f"<p>{_text(text)}</p>"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int):
        return f"{cell:,}"
    # File names may have bytes that are no text, and packets any text.
    return escape(str(cell).encode("utf-8", "replace").decode())
