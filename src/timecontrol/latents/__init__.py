"""Paths of a corpus in latent space: kept as Parquet, described by Gaussians, judged as bridges.

``Paths``        the latents of documents
``fit_paths``    end points, mean path, noise scale
``diagnose``     does a path behave like a bridge?
``describe``     both, as plain data
"""

from timecontrol.latents.diagnostics import describe, diagnose, shuffled_larger
from timecontrol.latents.fit import Fit, Gaussian, fit_paths
from timecontrol.latents.paths import Paths

__all__ = ["Fit", "Gaussian", "Paths", "describe", "diagnose", "fit_paths", "shuffled_larger"]
