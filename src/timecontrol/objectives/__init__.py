"""Losses that tie latents to a process; functions of tensors, one idea a file.

``bridge``    tell a triplet's own middle from the batch's other middles
``brownian``  tell a sentence's own successor from the batch's others
``implicit``  the same by a learned recurrent predictor (InfoNCE)
``vae``       the evidence lower bound under the bridge prior
"""
