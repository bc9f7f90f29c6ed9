import pytest
import torch

from timecontrol.devices import choose_device, choose_dtype
from timecontrol.errors import TimeControlError


def test_the_cpu_is_always_there() -> None:
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_device("auto").type in ("cpu", "cuda", "mps")


@pytest.mark.parametrize("name", ["gpu", "tpu", "cuda:x", "", "cpu:3", "meta"])
def test_a_device_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(TimeControlError, match="auto, cpu, cuda"):
        choose_device(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_device_this_machine_lacks_is_refused() -> None:
    with pytest.raises(TimeControlError, match="This machine has no device 'cuda'"):
        choose_device("cuda")


def test_precision_follows_the_device_unless_said() -> None:
    assert choose_dtype("auto", torch.device("cpu")) == torch.float32
    assert choose_dtype("auto", torch.device("cuda")) == torch.bfloat16
    assert choose_dtype("float16", torch.device("cpu")) == torch.float16
    with pytest.raises(TimeControlError, match="No dtype named 'fp8'"):
        choose_dtype("fp8", torch.device("cpu"))
