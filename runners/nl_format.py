"""AMPL's NL format, through Pyomo's writer."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import pyomo.environ as pyo
from pyomo.repn.plugins.nl_writer import NLWriter
from scipy import sparse

from .linear import LinearModel
from .lp_format import CONSTANT
from .pyomo_session import as_pyomo


def nl_text(linear: LinearModel, comment: str) -> tuple[str, list[str], list[str]]:
    """``linear`` as NL, and the names of its rows and columns in the order of the file."""
    linear = _without_empty_rows(linear)
    model, text = as_pyomo(linear), StringIO()
    if linear.sense < 0:  # as_pyomo minimises
        model.cost.set_value(-model.cost.expr)
        model.cost.sense = pyo.maximize
    written = NLWriter().write(model, text, linear_presolve=False)
    first, rest = text.getvalue().split("\n", 1)
    first = f"{first.split('#')[0]}# {comment}"
    column = {id(v): name for v, name in zip(model.x.values(), linear.col_names, strict=True)}
    row = dict(zip(map(id, model.rows.values()), linear.row_names, strict=True))
    rows = [row[id(c)] for c in written.constraints]
    columns = [column[id(v)] for v in written.variables]
    return f"{first}\n{rest}", rows, columns


def _without_empty_rows(linear: LinearModel) -> LinearModel:
    """Rows without entries get one: a column that is 1, and 1 more on the right hand side."""
    empty = np.diff(linear.matrix.indptr) == 0
    if not empty.any():
        return linear
    one = sparse.csr_array(empty.astype(float)[:, None])
    return replace(
        linear,
        matrix=sparse.csr_array(sparse.hstack((linear.matrix, one))),
        row_lower=linear.row_lower + empty,
        row_upper=linear.row_upper + empty,
        cost=np.append(linear.cost, 0.0),
        col_lower=np.append(linear.col_lower, 1.0),
        col_upper=np.append(linear.col_upper, 1.0),
        integer=np.append(linear.integer, False),
        col_names=(*linear.col_names, CONSTANT),
    )
