import asyncio
from typing import Any

import pytest
import uvicorn

from tests.app.calls import call
from timecontrol.app.models import Models
from timecontrol.app.serve import Server, studio_app
from timecontrol.app.turns import Cancelled


@pytest.fixture(scope="module")
def app() -> Any:
    return studio_app(Models.of(device="cpu"))


def test_page_and_api_are_one_application(app: Any) -> None:
    assert call(app, "GET", "/").status_code == 200
    about = call(app, "GET", "/api/about").json()
    assert about["encoders"] == ["general", "wikisection", "dialogue"]


def test_another_name_is_no_way_in(app: Any) -> None:
    found = call(app, "GET", "/", headers={"host": "evil.example"})
    assert found.status_code == 400


def test_the_page_names_nothing_from_elsewhere_to_run(app: Any) -> None:
    text = call(app, "GET", "/").text
    assert 'src="http' not in text
    assert "fonts.googleapis" not in text


def test_with_a_token_both_are_closed() -> None:
    app = studio_app(Models.of(device="cpu"), token="a long enough secret")
    assert call(app, "GET", "/api/about").status_code == 401
    config = call(app, "GET", "/config")
    assert config.status_code == 401
    known = {"Authorization": "Bearer a long enough secret"}
    assert call(app, "GET", "/api/about", headers=known).status_code == 200


def test_who_waits_is_sent_away_when_the_server_stops(app: Any) -> None:
    config = uvicorn.Config(studio_app(Models.of(device="cpu")), log_config=None, port=0)
    turns = config.app.state.turns  # type: ignore[union-attr]

    async def run() -> None:
        server = Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        server.servers = []
        await server.lifespan.startup()
        await server.shutdown()

    asyncio.run(run())
    with pytest.raises(Cancelled, match="stopping"), turns.take():
        pass
