from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")
P = TypeVar("P")


class Entries(Generic[T, P]):
    """
    A list of the API. Nothing is requested until you use it:

    - `for entry in entries` reads every entry, page by page;
    - `for page in entries.pages()` reads every page;
    - `entries.first_page()` reads the first page alone;
    - `entries.all()` reads every entry into a `list`.
    """

    def __init__(self, read: Callable[[Optional[str]], P]) -> None:
        self._read = read

    def first_page(self) -> P:
        """The first page, from the cursor of the query or the beginning."""
        return self._read(None)

    def pages(self) -> Iterator[P]:
        """Every page. A page is requested when it is needed."""
        cursor: Optional[str] = None
        while True:
            page: Any = self._read(cursor)
            yield page
            # The lists of endpoints, of one endpoint's deliveries and of its checks have one page and no cursor. The
            # feed of events always has a cursor.
            cursor = None if page.get("has_more") is False else page.get("next_cursor")
            if cursor is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            entries: List[T] = _data(page)
            yield from entries

    def all(self, max: Optional[int] = None) -> List[T]:
        """Every entry, or with `max` only the first ones, at most this many."""
        entries: List[T] = []
        for page in self.pages():
            entries.extend(_data(page))
            if max is not None and len(entries) >= max:
                break
        return entries[:max]


def _data(page: Any) -> List[Any]:
    fields: Dict[str, Any] = page
    entries: List[Any] = fields["data"]
    return entries
