"""What decides the numbers of a work: its recipe, whose hash is the id of its run."""

from typing import Any

from timecontrol.bases import load_tokenizer
from timecontrol.corpora.finding import data_folder
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing
from timecontrol.generation.request import TOP_P
from timecontrol.reproduction.given import DECODES
from timecontrol.reproduction.scales import Stand
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Workshop

Recipe = dict[str, Any]
PROBES = 3
"""Probes of each set of latents."""
ALGORITHM = {"probe": 1, "texts": 1, "adherence": 1, "perplexity": 1, "counts": 1, "paths": 1}
"""Goes up when the same recipe would give other numbers."""


def stand_of(work: Work, shop: Workshop) -> Stand:
    """Return the corpus of a work.

    Raises:
        TimeControlError: Nothing stands for it at this scale.
    """
    stand = shop.scale.stand(work.dataset, work.kind == "probe")
    if stand is None:
        raise TimeControlError(f"nothing stands for {work.dataset} at scale {shop.scale.name}")
    return stand


def recipe_of(work: Work, shop: Workshop) -> Recipe:
    """Return all that decides the numbers of a work, as plain data."""
    stand, scale = stand_of(work, shop), shop.scale
    recipe: Recipe = {"algorithm": ALGORITHM[work.kind], "work": work.told()}
    if work.kind == "counts":
        recipe |= {"data": shop.data(stand, True), "counter": counter(shop)[0]}
        return recipe | {"window": scale.window}
    looks = work.kind in ("probe", "perplexity")
    recipe["data"] = shop.data(stand, looks)
    if work.kind == "probe" and not work.plans:
        return recipe | {"base": shop.sum(feature_base(work, shop)), "probes": PROBES}
    given = shop.given_for(work, stand)
    if given is not None:
        recipe["decoder"] = {
            "identity": given["identity"],
            "weights": shop.weights(work, stand),
            "settings": given["settings"],
        }
    if work.plans and given is None:
        recipe["encoder"] = {
            "base": shop.sum(scale.encoder_base),
            **shop.encoder_settings(work).as_dict(),
        }
    if work.kind == "probe":
        recipe["probes"] = PROBES
    if work.kind in DECODES and given is None:
        settings = shop.decoder_settings(work, stand).as_dict()
        recipe["decoder"] = {"base": shop.sum(scale.decoder_base), **settings}
    if work.kind in ("texts", "adherence"):
        recipe |= {"documents": scale.documents, "window": scale.window}
        top_p = TOP_P.get(work.preset, Writing.top_p)
        recipe["writing"] = {"top_p": top_p, "temperature": Writing.temperature, "seed": 0}
    if work.kind == "adherence":
        judge = shop.judge_settings(work).as_dict()
        recipe |= {"judge": {"base": shop.sum(scale.judge_base), **judge}, "judged": scale.judged}
    return recipe


def feature_base(work: Work, shop: Workshop) -> str:
    """Return the base whose features a row of the order probe are."""
    name = shop.scale.features.get(work.method)
    if name is None:
        raise TimeControlError(f"no base stands for {work.method} at scale {shop.scale.name}")
    return name


def counter(shop: Workshop) -> tuple[str, str]:
    """Return the tokenizer that counts, by name and place: GPT-2's where it can be had."""
    name = shop.scale.counter
    tried = [(name, shop.base(name))]
    if name == "gpt2":
        folder = data_folder()
        beside = [("gpt2", str(folder / "gpt2-tokenizer"))] if folder is not None else []
        other = shop.scale.decoder_base
        tried = [*beside, *tried, (other, shop.base(other))]
    for named, place in tried:
        try:
            load_tokenizer(place)
        except TimeControlError:
            continue
        return named, place
    raise TimeControlError(f"no tokenizer to count with: {', '.join(n for n, _ in tried)}")
