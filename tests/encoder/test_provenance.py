import torch

from timecontrol import __version__
from timecontrol.encoder.provenance import provenance


def test_it_names_versions_and_device() -> None:
    found = provenance(torch.device("cpu"))
    assert found["timecontrol"] == __version__
    assert found["torch"].startswith(torch.__version__.split("+")[0])
    assert found["device"] == "cpu"
