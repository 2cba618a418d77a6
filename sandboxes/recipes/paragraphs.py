"""Paragraphs of English prose out of the files that packages ship: HTML, text, man, pod, dictd, fortunes, SWORD."""

import gzip
import html
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from lxml import html as lxml_html

_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<[^>]+>")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FREQUENT = _words(
    "the of and to a in is that it for as with be are on by this or not you can from at which if an "
    "have has will was when used one all its use may but must no there these"
)
_DROPPED = _words("script style nav header footer pre svg math form head button select noscript iframe aside")
_BLOCKS = _words(
    "p li dd dt td th h1 h2 h3 h4 h5 h6 blockquote caption div section article table tr ul ol dl br hr body "
    "main tbody thead figcaption summary details center"
)
_NAVIGATION = re.compile(
    r"(?:^|\s)(sphinxsidebar|related|headerlink|toc|toctree-wrapper|navheader|navfooter|highlight|footer|"
    r"sidebar|breadcrumbs?|source|sourceCode|viewcode-link|viewcode-block)(?=\s|$)"
)
_MAN_DROPPED = re.compile(
    r'^[.\'](\\"|TH|SH|SS|nf|fi|in|ad|so|de|ie|el|if|ds|nr|ft|hy|sp|br|EX|EE|UR|UE|TS|TE|PP|P|LP|TP|IP|RS|RE|HP|TQ).*$',
    re.MULTILINE,
)


def is_prose(text: str) -> bool:
    """Say whether a paragraph is mostly English prose: long enough, letters, and frequent English words."""
    words = text.split(" ")
    if len(text) < 60 or len(words) < 10:
        return False
    letters = sum((char.isalpha() and char < "\x7f") or char == " " for char in text)
    if letters / len(text) < 0.80:
        return False
    return sum(word.lower().strip(".,;:()") in _FREQUENT for word in words) / len(words) >= 0.18


def squeezed(text: str) -> str:
    """Return `text` with every run of white space as one space, and none at the ends."""
    return _SPACE.sub(" ", text).strip()


def from_text(text: str) -> list[str]:
    """Return the paragraphs of plain text: what empty lines separate."""
    return [squeezed(part) for part in re.split(r"\n\s*\n", text)]


def from_html(content: bytes) -> list[str]:
    """Return the paragraphs of an HTML page without code and navigation; none where it cannot be parsed."""
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        page = lxml_html.document_fromstring(content.decode("utf-8", "replace").encode(), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return []
    pieces = "".join("\n" if piece is None else piece.replace("\n", " ") for piece in _pieces(page))
    return [text for text in map(squeezed, pieces.split("\n")) if text]


def _is_hidden(tag: str, element: Any) -> bool:  # noqa: ANN401 - lxml has no types
    may_navigate = tag in ("div", "ul", "ol", "a", "table", "section")
    return tag in _DROPPED or (may_navigate and bool(_NAVIGATION.search(element.get("class") or "")))


def _pieces(page: Any) -> Iterator[str | None]:  # noqa: ANN401 - lxml has no types
    """Yield the texts of a page in reading order; None where a block begins or ends."""
    stack: list[Any] = [page]
    while stack:
        item = stack.pop()
        if item is None or isinstance(item, str):
            yield item
            continue
        stack += [item.tail] if item.tail else []
        if not isinstance(item.tag, str) or _is_hidden(item.tag, item):
            continue
        if item.tag in _BLOCKS:
            yield None
            stack.append(None)
        stack += reversed(item)
        stack += [item.text] if item.text else []


def _font(match: re.Match[str]) -> str:
    macro, text = match.group(1), match.group(2).replace('"', "")
    return text.replace(" ", "") if len(macro) > 1 and macro not in ("SM", "SB") and len(text) < 40 else text


def from_man(text: str) -> list[str]:
    """Return the paragraphs of a manual page without its macros."""
    text = _MAN_DROPPED.sub("\n", text)
    text = re.sub(r"^[.\'](BR|IR|RB|RI|BI|IB|B|I|SM|SB)\s+(.*)$", _font, text, flags=re.MULTILINE)
    text = re.sub(r"\\f[BIRP]|\\f\(..|\\s[+-]?\d|\\&|\\/|\\,|\\\||\\c", "", text)
    text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    text = re.sub(r"\\[(*](..)|\\\[[^\]]*\]", " ", text)
    return from_text(re.sub(r"^[.\'].*$", "", text, flags=re.MULTILINE))


def from_pod(text: str) -> list[str]:
    """Return the paragraphs of Perl documentation without its markup; indented ones are code."""
    text = re.sub(r"^=(?!item|head)\w+.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^=\w+\s*\d?\s*", "", text, flags=re.MULTILINE)
    for _ in range(3):
        text = re.sub(r"[A-Z]<{1,2}\s?([^<>|]*\|)?([^<>]*?)\s?>{1,2}", r"\2", text)
    return [squeezed(part) for part in re.split(r"\n\s*\n", text) if part[:1] not in (" ", "\t")]


def from_dictionary(text: str) -> list[str]:
    """Return the paragraphs of a dictd dictionary."""
    return [squeezed(part) for part in re.split(r"\n\s*\n|\n(?=\S)", re.sub(r"[{}]", "", text))]


def from_sword(folder: Path) -> list[str]:
    """Return the paragraphs of a SWORD module (zText, zCom): compressed blocks that an index lists."""
    found: list[str] = []
    for name in ("ot.b", "ot.c", "nt.b", "nt.c"):
        index, data = folder / f"{name}zs", folder / f"{name}zz"
        if index.exists():
            for block in _sword_blocks(index.read_bytes(), data.read_bytes()):
                text = re.sub(r"<note.*?</note>", "", block.replace("\0", "\n\n"), flags=re.DOTALL)
                text = re.sub(r"<(p|lb|br|div|chapter|verse|l|lg)\b[^>]*>", "\n\n", text)
                found += from_text(html.unescape(_TAG.sub("", text)))
    return found


def _sword_blocks(index: bytes, data: bytes) -> Iterator[str]:
    for at in range(0, len(index) - 11, 12):
        offset, size, _ = struct.unpack("<III", index[at : at + 12])
        if size:
            try:
                yield zlib.decompress(data[offset : offset + size]).decode("utf-8", "replace")
            except zlib.error:
                continue


def from_markup(text: str) -> list[str]:
    """Return the paragraphs of a string with HTML tags in it, as API descriptions have them."""
    parts = re.split(r"</?(?:p|li|ul|dl|dt|dd|note|important|h\d)\b[^>]*>", text)
    return [squeezed(html.unescape(_TAG.sub("", part))) for part in parts]


def from_file(path: Path) -> list[str]:
    """Return the paragraphs of one file by its name's ending; none for what is no prose.

    Raises:
        OSError, EOFError, zlib.error: The file cannot be read or unpacked.
    """
    name = path.name.removesuffix(".gz").removesuffix(".dz")
    suffix = Path(name).suffix.lower()
    if suffix in (".html", ".htm", ".xhtml", ".page", ".dbk", ".docbook") or re.search(r"\.html\.(en|utf8)$", name):
        return from_html(_content(path))
    for reader, fits in (
        (from_text, suffix in (".txt", ".text", ".md") or name in ("README", "FAQ", "NEWS")),
        (from_pod, suffix == ".pod"),
        (from_man, "/man/man" in str(path) and re.match(r"\.[1-9n]", suffix)),
        (from_dictionary, suffix == ".dict"),
        (_from_fortunes, "/games/fortunes/" in str(path) and not suffix),
    ):
        if fits:
            return reader(_content(path).decode("utf-8", "replace"))
    return []


def _from_fortunes(text: str) -> list[str]:
    return [squeezed(part) for part in text.split("\n%\n")]


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix in (".gz", ".dz") else content
