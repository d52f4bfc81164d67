"""Every link of the finished site that leads within it leads somewhere: pages, files and the places in them."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page, and where its links lead."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def broken(site: Path) -> list[str]:
    """One sentence per link that leads nowhere."""
    # Rust's own pages are checked by rustdoc, which makes them; what the theme brings along are templates.
    others = {"rust", "_static"}
    paths = [path for path in site.rglob("*.html") if path.relative_to(site).parts[0] not in others]
    pages = {path.resolve(): Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            told = f"{path.relative_to(site.resolve())}: {link}"
            if "rust" in target.parts and not target.exists():
                continue
            if not target.exists():
                found.append(f"{told} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{told} leads to no place on its page")
    return found


if __name__ == "__main__":
    lost = broken(Path(sys.argv[1]).resolve())
    print("\n".join(lost) or "every link within the site leads somewhere")
    sys.exit(bool(lost))
