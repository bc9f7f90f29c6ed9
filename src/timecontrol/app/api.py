"""The HTTP API of the studio: what the rooms do, for those who call it from elsewhere.

    app = api(service, turns, limits)          # then the rooms are mounted on it at "/"

Bodies are read within limits, as strict JSON; work waits for its turn in a bounded queue, in
threads, and ends when its client has gone. Every error is ``{"error": "one line"}``. All about it:
``docs/http.md``.
"""

import asyncio
import hmac
from collections.abc import Callable, Coroutine, Iterator, Sequence
from email.message import Message
from typing import Any, Protocol

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from timecontrol import __version__
from timecontrol.app.answers import CODES, Json, Wrong, answer
from timecontrol.app.asked import Asked
from timecontrol.app.examples import EXAMPLES
from timecontrol.app.forms import InfillForm, OrderForm, PlanForm, ScoreForm, WriteForm
from timecontrol.app.guard import UPLOADS, Guard, too_large
from timecontrol.app.hosts import LOOPBACK
from timecontrol.app.limits import Limits, TooMuch
from timecontrol.app.manual import manual
from timecontrol.app.strict import read_json
from timecontrol.app.turns import Turns
from timecontrol.app.working import NDJSON, SSE, Hands, Streamed
from timecontrol.errors import TimeControlError, unknown

Check = Callable[[], None]
Answer = dict[str, Any]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

OPEN = ("/api/health", "/api/docs", "/api/openapi.json")
"""The paths that need no token: whether it is there, and what it can be asked."""
DESCRIPTION = (
    "Scores texts, finds orders, draws plans, writes along them and fills gaps. Texts stay on the "
    "machine this runs on, and are in no log. One request is worked on at a time; a few wait. "
    'Errors are one line: {"error": "..."}.'
)


class Service(Protocol):
    """What does the work: plain data in, plain data out."""

    def about(self) -> Answer:
        """Return what there is: encoders, decoders, fillers, kinds of plans, limits."""

    def score(self, text: str | Sequence[str], *, encoder: str | None, check: Check) -> Answer:
        """Return how well a text flows."""

    def order(self, sentences: Sequence[str], *, encoder: str | None, check: Check) -> Answer:
        """Return the best order of sentences."""

    def plan(self, asked: Asked, *, check: Check) -> Answer:
        """Return a plan."""

    def write(self, asked: Asked, *, check: Check) -> Iterator[Answer]:
        """Yield a plan, sentences, and the whole."""

    def infill(
        self,
        text: str,
        *,
        model: str | None,
        candidates: int,
        words: int | None,
        first: str | None,
        seed: int,
        temperature: float,
        check: Check,
    ) -> Answer:
        """Return a text without gaps."""


def api(
    service: Service,
    turns: Turns,
    limits: Limits,
    token: str | None = None,
    hosts: Sequence[str] = LOOPBACK,
    uploads: int = UPLOADS,
) -> FastAPI:
    """Return the application.

    Args:
        service: What does the work.
        turns: Its queue; the rooms share it.
        limits: What is taken at most.
        token: What ``Authorization: Bearer`` has to say; ``None``: nothing.
        hosts: Names that the server goes by; ``*``: any.
        uploads: Bytes of a request to anything but the API, at most.

    Raises:
        TimeControlError: The token cannot be sent in a header.
    """
    if token is not None and (
        token != token.strip() or not token.isascii() or not token.isprintable() or not token
    ):
        raise TimeControlError(
            "The token is empty, begins or ends with a space, or is no printable ASCII: letters "
            "and digits do."
        )
    app = FastAPI(
        title="Time Control",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Guard, limits=limits, hosts=hosts, uploads=uploads)
    router = APIRouter(route_class=_route(limits, token))
    hands = Hands(turns, limits.requests)
    _works(router, service, hands, limits)
    _facts(router, service, turns, app, token is not None)
    app.include_router(router)
    known = {path: {m.upper() for m in what} for path, what in app.openapi()["paths"].items()}
    app.router.add_route("/api/{rest:path}", _Elsewhere(known, token))  # type: ignore[arg-type]
    return app


def _works(router: APIRouter, service: Service, hands: Hands, limits: Limits) -> None:
    """Add the paths that need a model."""

    @router.post("/api/score", **_told("/api/score"))
    async def score(request: Request, form: ScoreForm) -> Response:
        """Score how well a text flows, sentence by sentence."""
        _check_texts(limits, form.given)
        _check_name(service, ("encoders",), form.encoder)
        return Json(
            await hands.do(
                request, lambda check: service.score(form.given, encoder=form.encoder, check=check)
            )
        )

    @router.post("/api/order", **_told("/api/order"))
    async def order(request: Request, form: OrderForm) -> Response:
        """Find the order of a few sentences in which they flow best."""
        limits.check_ordered(len(form.sentences))
        _check_texts(limits, form.sentences)
        _check_name(service, ("encoders",), form.encoder)
        return Json(
            await hands.do(
                request,
                lambda check: service.order(form.sentences, encoder=form.encoder, check=check),
            )
        )

    @router.post("/api/plan", **_told("/api/plan"))
    async def plan(request: Request, form: PlanForm) -> Response:
        """Draw a plan, a path in the latent space, without writing."""
        asked = form.asked().checked(limits)
        _check_name(service, ("decoders",), asked.model)
        return Json(await hands.do(request, lambda check: service.plan(asked, check=check)))

    @router.post("/api/generate", **_told("/api/generate"))
    async def generate(request: Request, form: WriteForm) -> Response:
        """Write a text along a plan; whole, or sentence by sentence as it comes."""
        asked = form.asked().checked(limits)
        _check_name(service, ("decoders",), asked.model)
        media = _streamed(request, form.stream)
        if media:
            return Streamed(hands, lambda check: service.write(asked, check=check), media)

        def whole(check: Check) -> Answer:
            found: Answer = {}
            for event in service.write(asked, check=check):
                check()
                if event["event"] in ("plan", "done"):
                    found |= event
            found.pop("event", None)
            return found

        return Json(await hands.do(request, whole))

    @router.post("/api/infill", **_told("/api/infill"))
    async def infill(request: Request, form: InfillForm) -> Response:
        """Write the sentences that are missing in a text."""
        limits.check_text(form.text, longer="timecontrol infill FILE takes any length.")
        limits.check_candidates(form.candidates)
        _check_name(service, ("fillers", "decoders"), form.model)
        return Json(
            await hands.do(
                request,
                lambda check: service.infill(
                    form.text,
                    model=form.model,
                    candidates=form.candidates,
                    words=form.words,
                    first=form.first,
                    seed=form.seed,
                    temperature=form.temperature,
                    check=check,
                ),
            )
        )


def _facts(router: APIRouter, service: Service, turns: Turns, app: FastAPI, token: bool) -> None:
    """Add the paths that need none."""

    @router.get("/api/about", **_told("/api/about"))
    async def about() -> Response:
        """Name the models, the kinds of plans and the limits."""
        return Json(service.about())

    @router.get("/api/health", **_told("/api/health"))
    async def health() -> Response:
        """Count requests: those that wait, are worked on, and how others ended. Needs no token."""
        return Json({"status": "ok", **turns.counts()})

    @router.get("/api/openapi.json", include_in_schema=False)
    async def schema() -> Response:
        return Json(app.openapi())

    @router.get("/api/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        base = str(request.base_url).rstrip("/")
        return HTMLResponse(manual(app.openapi(), base, token))


def _told(path: str) -> dict[str, Any]:
    """Return what the OpenAPI schema says of a path besides its fields."""
    example = EXAMPLES[path]
    codes = CODES if "request" in example else {k: CODES[k] for k in (400, 401, 403, 405)}
    error = {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}
    answers: dict[int | str, dict[str, Any]] = {
        code: {"description": what, "content": {"application/json": error}}
        for code, what in codes.items()
    }
    good: dict[str, Any] = {"application/json": {"example": example["answer"]}}
    if "events" in example:
        good[NDJSON] = {"example": example["events"]}
        good[SSE] = {"schema": {"type": "string"}}
    answers[200] = {"description": "What was asked for.", "content": good}
    told: dict[str, Any] = {"responses": answers, "response_class": Json}
    if "request" in example:
        body = {"content": {"application/json": {"example": example["request"]}}}
        told["openapi_extra"] = {"requestBody": body}
    return told


def _route(limits: Limits, token: str | None) -> type[APIRoute]:
    """Return the class of routes that check the token, read strictly, and answer every error."""

    class Route(APIRoute):
        def get_route_handler(self) -> Handler:
            inner, free = super().get_route_handler(), self.path in OPEN

            async def handle(request: Request) -> Response:
                try:
                    if not free:
                        check_token(request, token)
                    if request.method == "POST":
                        request = await _read(request, limits)
                    return await inner(request)
                except Exception as error:
                    return answer(error)

            return handle

    return Route


class _Read(Request):
    """A request whose body has been read."""

    def __init__(self, request: Request, raw: bytes) -> None:
        super().__init__(request.scope, request.receive)
        self.raw, self.data = raw, read_json(raw)

    async def body(self) -> bytes:
        return self.raw

    async def json(self) -> Any:
        return self.data


class _Elsewhere:
    """What answers for paths under /api that are none, and for other methods."""

    def __init__(self, known: dict[str, set[str]], token: str | None) -> None:
        page = {"/api/docs": {"GET"}, "/api/openapi.json": {"GET"}}
        self.known, self.token = known | page, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        path = f"/api/{request.path_params['rest']}"
        methods = ", ".join(sorted(self.known.get(path, ())))
        try:
            check_token(request, self.token)
            if methods:
                raise Wrong(405, f"{path} takes {methods}.", {"Allow": methods})
            raise Wrong(404, "There is no such path: GET /api/docs lists what there is.")
        except Wrong as error:
            await answer(error)(scope, receive, send)


def check_token(request: Request, token: str | None) -> None:
    """Check that a request has the token, in a time that does not tell how much of it is right."""
    if token is None:
        return
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode(), token.encode())
    if scheme.lower() != "bearer" or not same:
        raise Wrong(
            401,
            "The token is missing or wrong: send Authorization: Bearer TOKEN.",
            {"WWW-Authenticate": "Bearer"},
        )


async def _read(request: Request, limits: Limits) -> Request:
    """Return a request with its body, which is JSON and not too long."""
    kind = Message()
    kind["content-type"] = request.headers.get("content-type", "")
    if kind.get_content_type() != "application/json":
        raise Wrong(415, "The body has to be JSON: send Content-Type: application/json.")
    chunks: list[bytes] = []
    size = 0
    stream = aiter(request.stream())
    try:
        async with asyncio.timeout(limits.seconds):  # drop by drop it may not go on for ever
            while True:
                async with asyncio.timeout(limits.patience):
                    chunk = await anext(stream, None)
                if chunk is None:
                    break
                size += len(chunk)
                if size <= limits.body:  # what is more is read and dropped: the client hears why
                    chunks.append(chunk)
    except (TimeoutError, ClientDisconnect):
        raise Wrong(408, f"Nothing of the body came for {limits.patience:g} s.") from None
    if size > limits.body:
        raise Wrong(413, too_large(limits.body))
    return _Read(request, b"".join(chunks))


def _streamed(request: Request, wanted: bool) -> str | None:
    """Return as what events are sent; ``None``: the whole is, at the end."""
    accepted = request.headers.get("accept", "").lower()
    if SSE in accepted:
        return SSE
    return NDJSON if wanted or NDJSON in accepted else None


def _check_texts(limits: Limits, given: str | Sequence[str]) -> None:
    """Check a text, or sentences."""
    if isinstance(given, str):
        limits.check_text(given)
        return
    limits.check_sentences(len(given))
    size = sum(map(len, given))
    if size > limits.characters:
        raise TooMuch(
            f"The sentences have {size:,} characters; at most {limits.characters:,} here: "
            "timecontrol score FILE takes any length."
        )
    for number, sentence in enumerate(given, 1):
        limits.check_text(sentence, f"Sentence {number}")


def _check_name(service: Service, kinds: Sequence[str], name: str | None) -> None:
    """Check that a model is one that the server was started with: no request opens another."""
    if name is None:
        return
    about = service.about()
    known = {own: None for kind in kinds for own in about[kind]}
    if name not in known:
        raise TimeControlError(unknown(name[:60], known, kinds[0].removesuffix("s")))
