"""The kernel against PyTorch's operations; on a CPU with TRITON_INTERPRET=1."""

import os

import pytest
import torch

pytest.importorskip("triton", reason="Triton comes with PyTorch for CUDA alone")
if not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("no CUDA GPU, and TRITON_INTERPRET is not 1", allow_module_level=True)

from timecontrol.generation.kernel import sum_above

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("size", [1, 7, 2048, 5000])
@pytest.mark.parametrize("draws", [1, 7])
def test_it_sums_what_is_higher(size: int, draws: int) -> None:
    torch.manual_seed(size)
    p = torch.randn(3, size, device=DEVICE).softmax(-1)
    height = p.gather(1, torch.randint(size, (3, draws), device=DEVICE))
    expected = [[p[r][p[r] > h].sum() for h in height[r]] for r in range(3)]
    torch.testing.assert_close(sum_above(p, height), torch.tensor(expected, device=DEVICE))
