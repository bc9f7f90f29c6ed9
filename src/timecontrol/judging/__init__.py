"""What people say of texts: blind ratings on the paper's two scales, kept in a file, and summed up.

Outputs of several systems become items (``items.py``), items a study, which is one SQLite file
(``store.py``). Whoever rates sees one item after the other in an order of their own
(``session.py``) and is never told which system wrote it. ``summary.py`` and ``agreement.py`` say
what came out.
"""

from timecontrol.judging.items import Material, read_outputs
from timecontrol.judging.store import Progress, Rating, Shown, Study, create_study, open_study
from timecontrol.judging.tasks import TASKS, Task

__all__ = [
    "TASKS",
    "Material",
    "Progress",
    "Rating",
    "Shown",
    "Study",
    "Task",
    "create_study",
    "open_study",
    "read_outputs",
]
