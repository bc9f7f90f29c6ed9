"""The model card of a decoder: what it is, what it was trained on, its numbers and its limits."""

from typing import Any

from timecontrol.decoder.settings import FORWARD

METHODS = {
    "planned": "follows latents, one a sentence",
    "plain": "fine-tuned without a plan",
    "clock": "told how much of its plan is done, and nothing else",
    "section-dense": "told the section of every token",
    "section-sparse": "told a section where it begins",
}


def card(config: dict[str, Any], metrics: dict[str, Any]) -> str:
    """Return the card in Markdown, with the header that model hubs read."""
    s, base, corpus = config["settings"], config["base"], config["corpus"]
    encoder, n, kept = config["encoder"], config["corpus"]["used"], metrics["kept"]
    trained = f"LoRA adapters of rank {s['lora']}" if s["lora"] else "all weights"
    fills = s.get("arrangement", FORWARD) != FORWARD
    rows = {
        "method": f"{s['method']}: {METHODS[s['method']]}",
        "preset": s["preset"],
        "base": f"{base['label']} ({trained} trained)",
        "corpus": f"{corpus['name']}, splits by {corpus['splits_by']}",
        "documents": f"{n['train']:,} training, {n['val']:,} validation",
        "tokens of a document": f"at most {config['window']:,}, longer ones: {s['trim']}",
        "optimiser": f"AdamW, rate {s['lora_rate' if s['lora'] else 'rate']:g}, batch "
        f"{s['batch'] * s['accumulate']}, {metrics['epochs']} epochs, weights of epoch "
        f"{metrics['kept_epoch']}",
        "weight of sentence ends": s["end_weight"],
        "seed": s["seed"],
    }
    if fills:
        rows["arrangement"] = f"{s['arrangement']}, gaps of at most {s['gap']} sentences"
    if encoder:
        rows["encoder"] = (
            f"{encoder['objective']}, d = {encoder['latent_dim']}, {encoder['base']}, "
            f"trained on {encoder['corpus']}, seed {encoder['seed']}"
        )
        rows["plan enters at"] = f"{s['depths']} depths, clock {'yes' if s['clock'] else 'no'}"
    numbers = {"training loss, nats (sentence ends weighted)": kept.get("loss")}
    numbers["validation loss, nats (sentence ends weighted)"] = kept.get("val_loss")
    if not fills and (known := metrics.get("health")):
        what = f"right tag first among the tags, at {known['n']} section starts"
        numbers[what] = known["first"]
        numbers["loss of the choice at a sentence's end, nats"] = known["choice_loss"]
    hub = base.get("hub")
    lines = [
        "---",
        "library_name: timecontrol",
        "pipeline_tag: text-generation",
        *([f"base_model: {hub}"] if hub else []),
        "tags: [time-control, text-generation, planning]",
        "---",
        "",
        "# A Time Control decoder",
        "",
        f"Writes sentences that are missing in texts like those of {corpus['name']}."
        if fills
        else f"Writes documents like those of {corpus['name']}, one sentence for each point of a "
        "plan.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows.items()),
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value:.3f} |" for name, value in numbers.items() if value is not None),
        "",
        *_measured(metrics.get("measured") or {}),
        *(f"- {note}" for note in corpus["notes"]),
        "",
        "```sh",
        "timecontrol infill FILE --model FOLDER"
        if fills
        else "timecontrol generate --model FOLDER -n 4",
        "```",
        "",
        "What it writes is made up: names, numbers and events are not facts. Weights made from a "
        "corpus may carry the terms of its licence. The base keeps its own licence "
        f"({base['licence'] or 'see there'}).",
        "",
    ]
    return "\n".join(lines)


def _measured(found: dict[str, Any]) -> list[str]:
    """Return lines of what was measured after training: ``how``, and a value for each thing."""
    if not found:
        return []
    rows = [f"| {what} | {value} |" for what, value in found["values"].items()]
    return [found["how"], "", "| | |", "|---|---|", *rows, ""]
