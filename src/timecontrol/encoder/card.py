"""The model card of a run: what it is, what it was trained on, its numbers and its limits."""

from typing import Any

OBJECTIVES = {
    "bridge": "contrastive, Brownian bridge",
    "brownian": "contrastive, Brownian motion",
    "implicit": "InfoNCE with a recurrent predictor (implicit dynamics)",
    "vae": "variational, bridge prior",
}


def card(config: dict[str, Any], metrics: dict[str, Any]) -> str:
    """Return the card in Markdown, with the header that model hubs read."""
    s, base, corpus = config["settings"], config["base"], config["corpus"]
    best, n = metrics["best"], corpus["documents"]
    loss = f"; loss `{s['loss']}`" if s["objective"] in ("bridge", "brownian") else ""
    rows = {
        "objective": OBJECTIVES[s["objective"]] + loss,
        "preset": s["preset"],
        "base": f"{base['label']} (frozen, {base['dim']}-d, pooling `{s['pooling']}`)",
        "latent size": s["latent_dim"],
        "corpus": f"{corpus['name']}, splits by {corpus['splits_by']}",
        "documents": f"{n['train']:,} training, {n['val']:,} validation",
        "section tags read": "yes" if s["tags"] else "no",
        "optimiser": f"{s['optimiser']}, rate {s['rate']:g}, batch {s['batch']}",
        "epochs": f"{metrics['epochs']}, head of epoch {metrics['best_epoch']}",
        "seed": s["seed"],
    }
    count = round(best.get("val_n", 0))
    numbers = {
        "validation loss": best.get("val_loss"),
        f"mutual information bound at N = {count}, nats": best.get("val_information"),
        "evidence lower bound, nats a triplet": best.get("val_evidence"),
    }
    judged = metrics.get("validation")
    if judged:
        numbers |= {
            "share of latent variance explained by time": judged["time_share"],
            "fit of the variance profile to t(T-t)/T, R²": judged["profile_fit"],
            "correlation of neighbouring steps": judged["step_correlation"],
            "documents with a larger residual when shuffled": judged["shuffled_larger"],
        }
    hub = base.get("hub")
    lines = [
        "---",
        "library_name: timecontrol",
        *([f"base_model: {hub}"] if hub else []),
        "tags: [time-control, sentence-latents, coherence]",
        "---",
        "",
        "# A Time Control encoder",
        "",
        f"Maps sentences to {s['latent_dim']} numbers so that a document is a path, here trained "
        f"on {corpus['name']}.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
        "",
        *(
            [f"On the {n['val']:,} validation documents:", "", "| | |", "|---|---|"]
            if judged
            else ["There were no validation documents."]
        ),
        *(f"| {name} | {value:.3f} |" for name, value in numbers.items() if value is not None),
        "",
        *(f"- {note}" for note in corpus["notes"]),
        "",
        "```python",
        "from timecontrol.encoder import Encoder",
        "",
        'encoder = Encoder.load("this folder")',
        'encoder.encode(["A sentence."])',
        "```",
        "",
        "Weights made from a corpus may carry the terms of its licence. The base is not part of "
        f"this folder (licence: {base['licence'] or 'its own'}).",
        "",
    ]
    return "\n".join(lines)


def export_card(config: dict[str, Any]) -> str:
    """Return the card of an exported sentence-transformers model."""
    s, base, corpus = config["settings"], config["base"], config["corpus"]
    hub = base.get("hub")
    lines = [
        "---",
        "library_name: sentence-transformers",
        "pipeline_tag: feature-extraction",
        *([f"base_model: {hub}"] if hub else []),
        "tags: [sentence-transformers, time-control]",
        "---",
        "",
        "# A Time Control encoder",
        "",
        f"Sentences to {s['latent_dim']} numbers in which a document is a path "
        f"({OBJECTIVES[s['objective']]}), trained on {corpus['name']} over {base['label']}.",
        "",
        "```python",
        "from sentence_transformers import SentenceTransformer",
        "",
        'latents = SentenceTransformer("this folder").encode(["A sentence."])',
        "```",
        "",
        "The latents are no directions: compare them by distance, not by cosine.",
        *(
            ["", "The first sentence of a section is read with its tag: `[ HISTORY ] It began.`"]
            if s["tags"]
            else []
        ),
        "",
        f"The base keeps its own licence ({base['licence'] or 'see there'}).",
        "",
    ]
    return "\n".join(lines)
