"""Worked examples: two documents in two dimensions, and their numbers."""

import numpy as np

DOC1 = np.array([[0, 0], [1, 0], [1, 2], [3, 1], [4, 2]], float)
DOC2 = np.array([[0, 0], [1, 1], [0, 2], [2, 2]], float)
MIXED = DOC1[[0, 3, 1, 2, 4]]
SIGMA = np.array([[20 / 3, -13 / 3], [-13 / 3, 17 / 3]]) / 5
