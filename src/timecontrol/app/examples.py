"""An example of each path of the HTTP API, for its page: a request, and the shape of the answer."""

from typing import Any

SENTENCES = [
    "Anna had never baked a cake before.",
    "Her grandmother gave her the recipe.",
    "The price of copper fell again.",
    "She put the cake in the oven.",
]
REPORT: dict[str, Any] = {
    "id": "text",
    "sentences": [
        {"text": SENTENCES[0], "fit": -0.25, "percentile": 38.2, "level": "fits", "at": [0.95, 0.3]}
    ],
    "score": -1.29,
    "interval": [-4.05, 1.47],
    "percentile": 9.0,
    "shuffled_higher": 0.63,
    "terms": {"bridge": -0.43, "place": 1.63, "context": -0.67, "nearness": -1.79},
    "novelty": 1.69,
    "trust": 0.87,
    "far": False,
    "worst": 2,
    "breaks": [2],
    "reason": None,
    "said": "... Sentence 3 breaks the thread.",
    "warning": None,
}
PLAN: dict[str, Any] = {
    "plan": {"kind": "bridge", "seed": 1, "points": [[0.1, 0.2]]},
    "at": [[0.1, 0.2]],
    "budget": 1024,
}
WRITTEN: dict[str, Any] = {
    "text": "[ ABSTRACT ] It is a port on the sea. ...",
    "sentences": ["It is a port on the sea."],
    "sections": [{"tag": "ABSTRACT", "sentences": ["It is a port on the sea."]}],
    "tokens": 240,
    "ended": True,
}
EVENTS = "\n".join(
    (
        '{"event": "plan", "plan": {"kind": "bridge"}, "at": [[0.1, 0.2]]}',
        '{"event": "sentence", "number": 0, "tag": "ABSTRACT", "text": "It is a port on the sea."}',
        '{"event": "done", "text": "[ ABSTRACT ] It is a port on the sea. ..."}',
    )
)

EXAMPLES: dict[str, dict[str, Any]] = {
    "/api/score": {"request": {"text": " ".join(SENTENCES)}, "answer": REPORT},
    "/api/order": {
        "request": {"sentences": [SENTENCES[i] for i in (3, 0, 1)]},
        "answer": {
            "order": [1, 0, 2],
            "density": -3.1,
            "best": -2.4,
            "most": -2.4,
            "exact": True,
            "before": -1.1,
            "report": {"score": 0.4, "sentences": []},
        },
    },
    "/api/plan": {
        "request": {"model": "wikisection", "sentences": 12, "goal": "Few people are left."},
        "answer": PLAN,
    },
    "/api/generate": {
        "request": {"model": "wikisection", "length": 320, "seed": 2},
        "answer": PLAN | WRITTEN,
        "events": EVENTS,
    },
    "/api/infill": {
        "request": {
            "text": "She packed a bag. [ ... ] The train left at noon.",
            "candidates": 2,
            "seed": 1,
        },
        "answer": {
            "text": "She packed a bag. She went to the station. The train left at noon.",
            "gaps": [{"first": 1, "sentences": 1, "candidates": [{"text": "...", "score": -0.9}]}],
        },
    },
    "/api/about": {
        "answer": {
            "version": "0.1.0",
            "encoders": ["general", "wikisection", "dialogue"],
            "decoders": ["wikisection"],
            "fillers": ["stories"],
            "kinds": ["bridge", "mean", "static"],
            "limits": {"characters": 200_000, "sentences": 2_000},
        }
    },
    "/api/health": {
        "answer": {
            "status": "ok",
            "waiting": 0,
            "working": 1,
            "done": 12,
            "refused": 0,
            "cancelled": 1,
            "overdue": 0,
            "failed": 0,
        }
    },
}
