"""Implicit dynamics: the next latent is predicted by a recurrent network (InfoNCE).

    c_t = GRU(z_{t-w+1}, ..., z_t),      f(x_{t+1}, c_t) = exp(z_{t+1}^T W c_t)

The GRU and W are needed for training only; afterwards the encoder alone is used.
"""

from torch import Tensor, nn


class Context(nn.Module):
    """A window of latents to a prediction of the next: W c_t."""

    def __init__(self, latent_dim: int, units: int = 2400, layers: int = 1) -> None:
        super().__init__()
        self.gru = nn.GRU(latent_dim, units, layers, batch_first=True)
        self.predict = nn.Linear(units, latent_dim)

    def forward(self, window: Tensor) -> Tensor:
        """Return the predictions, (N, d), from windows of latents, (N, w, d)."""
        states, _ = self.gru(window)  # (N, w, units)
        predicted: Tensor = self.predict(states[:, -1])
        return predicted


def logits(predicted: Tensor, z_next: Tensor) -> Tensor:
    """Return the scores of every context (row) and every next latent (column), (N, N)."""
    return predicted @ z_next.T
