"""Time Control: documents as paths in a latent space.

The flow, one room after the other; each imports only rooms before it::

    errors      what a user can do wrong, said in one line
    sentences   text -> sentences, no character lost
    corpora     published formats and own files -> documents
    bases       a pretrained model by name: hub id, folder, or installed package
    vocabulary  tags and the unit-end mark as tokens of a base
    tokens      documents <-> token ids, with the tags and the unit-end mark as single tokens
    statistics  documents -> counts and section lengths
    cli         one verb a file; the only place that prints

"""

__version__ = "0.1.0"
