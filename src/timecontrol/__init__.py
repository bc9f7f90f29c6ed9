"""Time Control: documents as paths in a latent space.

The flow, one room after the other; each imports only rooms before it::

    errors      what a user can do wrong, said in one line
    progress    how long work tells how far it is
    sentences   text -> sentences, no character lost
    corpora     published formats and own files -> documents
    bases       a pretrained model by name: hub id, folder, or installed package
    vocabulary  tags and the unit-end mark as tokens of a base
    tokens      documents <-> token ids, with the tags and the unit-end mark as single tokens
    statistics  documents -> counts and section lengths
    devices     where numbers are computed, and how finely
    features    a frozen base over sentences, once, in a memory-mapped file
    processes   Brownian bridge and Brownian motion: mean, variance, sample, density
    objectives  losses that tie latents to a process
    runs        a run folder: JSON and safetensors, each file whole or absent
    latents     paths of a corpus: Parquet, end points, mean path, noise, diagnostics
    coherence   how well documents flow: BBScore, BBScoreV2, the score and its trace
    encoder     base + head: sentences -> latents; its training, its folder, its export
    figures     pictures of paths
    plans       paths to follow: bridges and others, start, goal and waypoints
    pretrained  encoders that come with the package, by name
    decoder     a language model that follows plans; its training, its folder
    generation  plans -> texts, in batches, streamed, or along a fast path
    scoring     the front door: texts -> reports, and texts written
    versions    two versions of a document compared
    pages       reports as HTML pages
    metrics     measures of the paper and of other scores: order probe, shuffles, intruders
    experiments measurements of the method itself
    cli         one verb a file; the only place that prints

"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from timecontrol.encoder import Encoder
    from timecontrol.scoring import Report, TimeControl

__version__ = "0.1.0"
__all__ = ["Encoder", "Report", "TimeControl", "__version__"]

_HOMES = {"Encoder": "encoder", "Report": "scoring", "TimeControl": "scoring"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: torch takes seconds to load."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"timecontrol.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'timecontrol' has no attribute {name!r}")
