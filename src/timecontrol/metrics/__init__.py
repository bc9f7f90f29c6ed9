"""How good a score or a latent is, as functions of arrays.

``shuffles`` and ``intruders`` spoil documents; ``comparison`` counts how often the original scores
higher; ``probe`` asks whether latents tell the order of two sentences; ``likelihood`` and
``entity_grid`` are scores to compare with.
"""
