"""Fine-tuning, by the trainer of transformers: resumable, the last or the best epoch kept."""

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import (
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.trainer_pt_utils import LengthGroupedSampler

from timecontrol.decoder.examples import Collator, Examples
from timecontrol.decoder.settings import Settings
from timecontrol.errors import TimeControlError
from timecontrol.progress import Advance, Progress, silent
from timecontrol.quiet import quiet

WATCHED = "watched_"
"""Before the names of what is measured beside the loss."""


@dataclass(frozen=True)
class Outcome:
    """How a training went."""

    history: list[dict[str, float]]
    """Numbers of each epoch: loss and validation loss, in nats, sentence ends weighted."""
    kept_epoch: int
    """The epoch the weights are from, from 1."""
    seconds: float
    tokens: int
    """Tokens that were trained on."""


def steps_of(documents: int, settings: Settings) -> int:
    """Return the steps of the optimiser of a whole training."""
    batches = math.ceil(documents / settings.batch)
    return math.ceil(batches / settings.accumulate) * settings.epochs


def train(
    model: Any,
    training: Examples,
    validation: Examples | None,
    collate: Collator,
    settings: Settings,
    *,
    checkpoints: Path | None = None,
    device: torch.device | None = None,
    bf16: bool = False,
    compiled: bool = False,
    tensorboard: Path | None = None,
    watch: Callable[[], dict[str, float]] | None = None,
    each: bool = True,
    progress: Progress = silent,
) -> Outcome:
    """Train a model in place.

    Args:
        model: A ``PlannedLM``, or PEFT's wrapper around one.
        training: Documents to train on.
        validation: Documents by which epochs are judged; without any, the last is kept.
        collate: Examples to batches.
        settings: How to train.
        checkpoints: A folder: training that was interrupted goes on from there. Without one, the
            best weights are kept in memory.
        device: Where.
        bf16: Whether it is computed in bfloat16 (weights and optimiser stay in float32).
        compiled: Whether the model is compiled; batches then all have one shape.
        tensorboard: A folder for TensorBoard's files; none are written without.
        watch: Called after each validation; what it returns goes into the history.
        each: Whether every epoch is validated, or the last alone, where that is the one kept.
        progress: Shows how far it is.
    """
    s = settings
    place = device or torch.device("cpu")
    keep = checkpoints is not None
    judged = validation is not None and len(validation) > 0
    chosen = judged and s.keep == "best"
    each = each or chosen or s.patience > 0
    if place.type == "cuda" and place.index:
        torch.cuda.set_device(place)
    arguments = TrainingArguments(
        output_dir=str(checkpoints or tempfile.gettempdir()),  # without, nothing is written
        num_train_epochs=s.epochs,
        per_device_train_batch_size=s.batch,
        per_device_eval_batch_size=max(s.batch, 4),
        gradient_accumulation_steps=s.accumulate,
        learning_rate=s.lora_rate if s.lora else s.rate,
        weight_decay=s.weight_decay,
        warmup_steps=math.ceil(s.warm_up * steps_of(len(training), s)),
        lr_scheduler_type="linear",
        max_grad_norm=s.clip,
        bf16=bf16,
        use_cpu=place.type == "cpu",
        eval_strategy="epoch" if judged and each else "no",
        save_strategy="epoch" if keep else "no",
        save_total_limit=1,
        load_best_model_at_end=keep and chosen,
        metric_for_best_model="eval_loss" if chosen else None,
        greater_is_better=False if chosen else None,
        prediction_loss_only=True,
        label_names=["labels"],
        remove_unused_columns=False,
        dataloader_pin_memory=place.type == "cuda",
        logging_strategy="epoch",
        logging_nan_inf_filter=False,  # it would wait for the GPU in every step
        report_to="none",
        disable_tqdm=True,
        torch_compile=compiled,
        seed=s.seed,
        data_seed=s.seed,
    )
    if arguments.world_size == 1:
        arguments._n_gpu = min(1, arguments.n_gpu)  # one process, one GPU: hooks are not shared
    total = steps_of(len(training), s)
    best = Best(model)
    callbacks: list[TrainerCallback] = [Redraw(training), Patience(s)]
    if tensorboard is not None:
        callbacks.append(_board(tensorboard))
    if judged and watch is not None:
        callbacks.append(Watch(model, watch))
    if chosen and not keep:
        callbacks.append(best)
    start = last_checkpoint(checkpoints) if checkpoints else None
    done = _number(start) if start else 0
    begun = time.monotonic()
    with quiet(), progress("training", total, done, "steps") as advance:
        callbacks.append(Steps(advance))
        trainer = PlanTrainer(
            settings=s,
            model=model,
            args=arguments,
            data_collator=collate,
            train_dataset=training,
            eval_dataset=validation if judged else None,
            callbacks=callbacks,
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train(resume_from_checkpoint=str(start) if start else None)
        if judged and not each:
            trainer.evaluate()
    history = _history(trainer.state.log_history)
    if chosen and not keep:
        best.restore()
    losses = [h["val_loss"] for h in history] if chosen else []
    epoch = 1 + losses.index(min(losses)) if losses else len(history)
    seen = sum(len(training[i].ids) for i in range(len(training))) * len(history)
    return Outcome(history, epoch, round(time.monotonic() - begun, 2), seen)


class Grouped(LengthGroupedSampler):
    """Documents of like length together; an epoch's order depends on the seed and its number."""

    def __init__(self, examples: Examples, settings: Settings) -> None:
        lengths = [len(examples[i].ids) for i in range(len(examples))]
        super().__init__(settings.batch, lengths=lengths, generator=torch.Generator())
        self.examples, self.seed = examples, settings.seed

    def __iter__(self) -> Iterator[int]:
        """Yield the documents of this epoch."""
        assert self.generator is not None
        self.generator.manual_seed(self.seed + (self.examples.epoch << 32))
        order: Any = super()
        yield from order.__iter__()


class PlanTrainer(Trainer):
    """The trainer, with a learning rate of its own for the projection."""

    def __init__(self, settings: Settings, **rest: Any) -> None:
        self.settings = settings
        super().__init__(**rest)

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        """Return the order of the documents of an epoch; those of like length may be together."""
        given: Any = self.train_dataset if train_dataset is None else train_dataset
        if not self.settings.grouped:
            bare: Any = super()
            return bare._get_train_sampler(given)
        return Grouped(given, self.settings)

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """Return AdamW: weight decay on matrices alone, the projection at its own rate."""
        if self.optimizer is None:
            s, trained = self.settings, cast(nn.Module, self.model)
            self.optimizer = torch.optim.AdamW(
                groups_of(trained, s), lr=s.rate, fused=self.args.device.type == "cuda"
            )
        return self.optimizer


def groups_of(model: nn.Module, s: Settings) -> list[dict[str, Any]]:
    """Return the parameters that are trained, with their learning rates and weight decay."""
    rate = s.lora_rate if s.lora else s.rate
    plan: list[Tensor] = []
    matrices: list[Tensor] = []
    vectors: list[Tensor] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            many = matrices if parameter.ndim > 1 else vectors
            (plan if "projection." in name else many).append(parameter)
    found = [
        {"params": matrices, "lr": rate, "weight_decay": s.weight_decay},
        {"params": vectors, "lr": rate, "weight_decay": 0.0},
        {"params": plan, "lr": s.projection_rate, "weight_decay": 0.0},
    ]
    return [group for group in found if group["params"]]


class Redraw(TrainerCallback):
    """Tells the examples which epoch it is, so that they are drawn anew."""

    def __init__(self, examples: Examples) -> None:
        self.examples = examples

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Set the epoch, also of training that goes on in the middle."""
        self.examples.set_epoch(int((state.epoch or 0) + 1e-6))


class Steps(TrainerCallback):
    """Tells how far the training is."""

    def __init__(self, advance: Advance) -> None:
        self.advance = advance
        self.shown: dict[str, float] = {}

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **rest: Any
    ) -> None:
        """Remember the numbers that were logged last."""
        names = {"loss": "loss", "eval_loss": "val_loss"}
        self.shown |= {names[k]: v for k, v in (logs or {}).items() if k in names}

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Count a step."""
        self.advance(1, **self.shown)


class Patience(TrainerCallback):
    """Stops when validation does not get better, or a loss is no number.

    It counts in the trainer's log, which an interrupted training goes on with.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **rest: Any
    ) -> None:
        """Look at the losses so far."""
        found = logs or {}
        if not all(math.isfinite(found.get(name, 0.0)) for name in ("loss", "eval_loss")):
            s = self.settings
            raise TimeControlError(
                f"The loss is not finite in epoch {round(state.epoch)}: try a smaller --rate than "
                f"{s.lora_rate if s.lora else s.rate:g}."
            )
        losses = [line["eval_loss"] for line in state.log_history if "eval_loss" in line]
        waited = len(losses) - 1 - losses.index(min(losses)) if losses else 0
        if self.settings.patience and waited >= self.settings.patience:
            control.should_training_stop = True


class Watch(TrainerCallback):
    """Measures something else after each validation, and writes it into the trainer's log."""

    def __init__(self, model: nn.Module, watch: Callable[[], dict[str, float]]) -> None:
        self.model, self.watch = model, watch

    def on_evaluate(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Measure in evaluation mode."""
        self.model.eval()
        found = {f"{WATCHED}{name}": value for name, value in self.watch().items()}
        state.log_history.append({"epoch": state.epoch, "step": state.global_step, **found})
        self.model.train()


class Best(TrainerCallback):
    """Keeps the best weights in memory."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.loss = model, math.inf
        self.weights: dict[str, Tensor] = {}

    def on_evaluate(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Look at a validation loss."""
        loss = rest["metrics"]["eval_loss"]
        if loss < self.loss:
            self.loss = loss
            trained = [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]
            self.weights = {n: p.detach().to("cpu", copy=True) for n, p in trained}

    @torch.no_grad()
    def restore(self) -> None:
        """Put the best weights back."""
        for name, parameter in self.model.named_parameters():
            if name in self.weights:
                parameter.copy_(self.weights[name])


def last_checkpoint(folder: Path) -> Path | None:
    """Return the last checkpoint in a folder that is whole: its state is what is written last."""
    whole = [
        f.parent for f in folder.glob("checkpoint-*/trainer_state.json") if f.read_text("utf-8")
    ]
    return max(whole, key=_number, default=None)


def _number(checkpoint: Path) -> int:
    return int(checkpoint.name.rsplit("-", 1)[-1])


def _history(log: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return the trainer's log, one entry an epoch."""
    found: dict[int, dict[str, float]] = {}
    for line in log:
        epoch = found.setdefault(round(line["epoch"]), {})
        for theirs, ours in (("loss", "loss"), ("eval_loss", "val_loss")):
            if theirs in line:
                epoch[ours] = float(line[theirs])
        watched = [name for name in line if name.startswith(WATCHED)]
        epoch |= {f"val_{name.removeprefix(WATCHED)}": float(line[name]) for name in watched}
    return [{"epoch": n, **found[n]} for n in sorted(found) if found[n]]


def _board(folder: Path) -> TrainerCallback:
    """Return what writes TensorBoard's files."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise TimeControlError("TensorBoard is not installed: pip install tensorboard.") from None
    import transformers.integrations as theirs

    known: Any = theirs
    made: TrainerCallback = known.TensorBoardCallback(SummaryWriter(str(folder)))
    return made
