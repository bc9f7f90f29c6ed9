"""Plans: the path of latents a decoder follows, one point a sentence.

``Law``          what plans are drawn from, fitted to training documents
``plan_length``  how many sentences a plan has; ``own_length`` those of a document drawn
``Pin``          a point the plan has to pass: start, goal or waypoint
``KINDS``        the kinds of plans, by name
``draw``         one plan's points; ``draw_many`` those of several; ``sketch`` its sections too
``Plan``         points, with where they come from
``check``        are these points a plan the model can follow?
``read_plans``   plans from JSON, JSON lines, NumPy, CSV or Parquet; ``write_plans`` as JSON
"""

from timecontrol.plans.files import read_plans, write_plans
from timecontrol.plans.kinds import KINDS, Pin, draw, draw_many, own_length, sketch
from timecontrol.plans.law import Law
from timecontrol.plans.length import plan_length
from timecontrol.plans.plan import Plan, check

__all__ = [
    "KINDS",
    "Law",
    "Pin",
    "Plan",
    "check",
    "draw",
    "draw_many",
    "own_length",
    "plan_length",
    "read_plans",
    "sketch",
    "write_plans",
]
