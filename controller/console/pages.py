"""Pages: a template, a language, and the table that is asked for. What they show comes over the socket."""

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from controller.console.assets import Assets
from controller.console.settings import THEMES, Settings
from controller.console.texts import LANGUAGES, SHORT, Texts, choose

PUBLIC_PAGES = ("signage", "proof")
PAGES = ("table", "floor", "audit", *PUBLIC_PAGES)
LANGUAGE_COOKIE = "jackpotd-language"
_YEAR_SECONDS = 365 * 24 * 60 * 60
_AWARD = re.compile(r"[A-Za-z0-9._-]{1,100}-[1-9][0-9]{0,15}-[1-9][0-9]{0,15}")


class Pages:
    """Everything that is looked at."""

    def __init__(self, settings: Settings, assets: Assets, texts: Texts) -> None:
        self._settings = settings
        self._assets = assets
        self._texts = texts

    async def home(self, _: Request) -> Response:
        """`/`."""
        return RedirectResponse("/signage" if self._settings.console.public else "/table")

    async def page(self, request: Request) -> Response:
        """`/<page>`."""
        return self._shown(request, request.url.path.strip("/"))

    async def slip(self, request: Request) -> Response:
        """`/slip/<award>`."""
        award = request.path_params["award"]
        if not _AWARD.fullmatch(award):
            return PlainTextResponse("That is no award.\n", 404)
        return self._shown(request, "slip", award=award)

    async def catalog(self, request: Request) -> Response:
        """`/texts/<language>.json`."""
        encoded = self._texts.encoded(request.path_params["language"])
        if encoded is None:
            return PlainTextResponse(f"There are texts in {', '.join(LANGUAGES)}.\n", 404)
        return Response(encoded, media_type="application/json", headers={"cache-control": "no-cache"})

    def _shown(self, request: Request, page: str, **more: Any) -> Response:  # noqa: ANN401 -- what a template takes
        if not self._assets.has(page):
            return PlainTextResponse("There is no such page.\n", 404)
        asked = request.query_params.get("tables") if page == "signage" else None
        tables = asked.split(",") if asked else [request.query_params.get("table") or self._settings.tables[0]]
        strange = [table for table in tables if table not in self._settings.tables]
        if strange:
            known = ", ".join(self._settings.tables)
            return PlainTextResponse(f"That table is not here. There are: {known}\n", 404)
        wanted = request.query_params.get("lang")
        language = choose(
            wanted, request.cookies.get(LANGUAGE_COOKIE), ",".join(request.headers.getlist("accept-language"))
        )
        theme = request.query_params.get("theme", "")

        def text(key: str, **values: object) -> str:
            return self._texts.text(language, key, **values)

        shown = self._assets.template(page).render(
            page=page,
            t=text,
            lang=language,
            languages=LANGUAGES,
            short_languages=SHORT,
            table=tables[0],
            shown_tables=tables,
            tables=self._settings.tables,
            public=self._settings.console.public,
            theme=theme if theme in THEMES else self._settings.signage.theme,
            hit_seconds=self._settings.signage.hit_seconds,
            timezone=self._settings.timezone,
            meters=request.query_params.get("meters", ""),
            **more,
        )
        response = Response(shown, media_type="text/html")
        if wanted in LANGUAGES:
            response.set_cookie(
                LANGUAGE_COOKIE,
                language,
                max_age=_YEAR_SECONDS,
                samesite="strict",
                httponly=True,
                secure=self._settings.console.tls,
            )
        return response
