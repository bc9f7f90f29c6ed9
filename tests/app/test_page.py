import asyncio
from typing import Any

from tests.app.fake import Fake
from timecontrol.app.desk import Desk
from timecontrol.app.limits import Limits
from timecontrol.app.page import ROOMS, look, page
from timecontrol.app.studies import Studies
from timecontrol.app.turns import Turns


def test_every_room_is_on_the_page() -> None:
    studio: Any = Fake()

    async def built() -> Any:  # in an event loop, as where it is served
        return page(Desk(studio, Turns(Limits())), Studies()).get_config_file()

    config = asyncio.run(built())
    labels = [c["props"].get("label") for c in config["components"] if c["type"] == "tabitem"]
    assert labels == [*ROOMS, "Judge"]
    ids = {c["props"].get("elem_id") for c in config["components"]}
    assert {"score-go", "write-go", "infill-go", "judge-begin"} <= ids
    assert config["analytics_enabled"] is False


def test_the_look_names_no_font_from_elsewhere() -> None:
    theme = look()["theme"]
    assert not theme._stylesheets
