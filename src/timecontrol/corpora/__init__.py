"""Documents from published formats and own files; one reader a file.

``open_corpus("wikisection:PATH")`` gives a ``Corpus``; its ``documents()`` are streamed.
What a domain looks like is data: its ``Layout``.
"""

from timecontrol.corpora.catalogue import CORPORA
from timecontrol.corpora.corpus import Corpus, open_corpus
from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.corpora.layout import Layout

__all__ = ["CORPORA", "Corpus", "Document", "Layout", "Section", "Source", "open_corpus"]
