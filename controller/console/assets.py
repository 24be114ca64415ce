"""What pages are made of: templates, scripts and styles, all read once at the start.

What is not among them cannot be asked for, whatever a path looks like.
"""

from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


class Asset(Struct, frozen=True):
    """A file as it is sent."""

    content: bytes
    type: str
    tag: str  # changes with the content


class Assets:
    """Every template and every file of a folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = {path.name: _asset(path) for path in (folder / "static").iterdir() if path.suffix in TYPES}
        self._templates = Environment(
            loader=FileSystemLoader(folder / "templates"),
            autoescape=True,
            undefined=StrictUndefined,  # a page with a hole in it is an error, not a page
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._known = set(self._templates.list_templates())

    def has(self, page: str) -> bool:
        """Whether there is a page of this name."""
        return f"{page}.html" in self._known

    def template(self, page: str) -> Template:
        """The template of a page."""
        return self._templates.get_template(f"{page}.html")

    async def serve(self, request: Request) -> Response:
        """`/static/<name>`. Browsers keep it, and ask each time whether it is still the same."""
        found = self._files.get(request.path_params["name"])
        if found is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        headers = {"etag": found.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, headers={**headers, "content-type": found.type})


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    return Asset(content, TYPES[path.suffix], f'"{sha256(content).hexdigest()[:32]}"')
