"""The command line: ``nogood COMMAND PUZZLE [options]``.

Commands that take a puzzle have one subcommand a puzzle, made from the puzzle's fields and the
options of the command when it is asked for, so that ``nogood --help`` imports neither Pyomo nor
pandas.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from ..data import InputError
from ..data.errors import check_positive, one_line
from . import streams
from .errors import SolverError, SolverMissing

app = typer.Typer(
    help="Puzzles as Pyomo MILPs, solved with HiGHS, and all solutions of any MILP.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_TYPER_INTERRUPTED = 130
DONE, INFEASIBLE, BAD_INPUT, NO_SOLVER, STOPPED, SOLVER_FAILED = range(6)


def main() -> None:
    """Run the command line; every error is one line on standard error."""
    streams.prepare()
    status = _run()
    if failed := streams.finish():
        status = _not_written(failed)
        streams.finish()
    sys.exit(status)


def _run() -> int:
    """The exit status."""
    status: int
    try:
        status = app(standalone_mode=False) or DONE
        if status == _TYPER_INTERRUPTED:
            status = _fail("interrupted", STOPPED)
    except TyperException as error:
        said = getattr(error, "format_message", error.__str__)()
        if said == "Missing command.":
            said = "puzzle: missing; nogood list shows them"
        if said.startswith("Usage:"):  # no command at all: the help is the answer
            print(said, file=sys.stderr)
            status = BAD_INPUT
        else:
            status = _fail(said, BAD_INPUT)
    except InputError as error:
        status = _fail(_by_flag(str(error)), BAD_INPUT)
    except SolverMissing as error:
        status = _fail(str(error), NO_SOLVER)
    except SolverError as error:
        status = _fail(str(error), SOLVER_FAILED)
    except (typer.Abort, KeyboardInterrupt):
        status = _fail("interrupted", STOPPED)
    except MemoryError:
        status = _fail("the memory is full", STOPPED)
    except OSError as error:
        status = _not_written(error)
    except SystemExit as end:  # Typer's answer to a pipe that nobody reads any more
        if not isinstance(end.__context__, OSError):
            raise
        sys.stdout, sys.stderr = sys.__stdout__ or sys.stdout, sys.__stderr__ or sys.stderr
        status = _not_written(end.__context__)
    return status


def _not_written(error: OSError) -> int:
    """Nobody reads what is printed, and need not be told; or there is no room for it."""
    if isinstance(error, BrokenPipeError):
        return STOPPED
    return _fail(f"{error.filename or 'standard output'}: {error.strerror or error}", BAD_INPUT)


def _by_flag(message: str) -> str:
    """A parameter that was given by its flag is called by it."""
    name, colon, rest = message.partition(":")
    flag = f"--{name.replace('_', '-')}"
    given = any(argument.split("=")[0] == flag for argument in sys.argv)
    return f"{flag}:{rest}" if colon and given else message


def _fail(message: str, status: int) -> int:
    color = typer.colors.RED if status == SOLVER_FAILED else None
    with suppress(OSError):  # the status says it too
        typer.secho(f"nogood: {one_line(message)}", err=True, fg=color)
    return status


class _PuzzleGroup(TyperGroup):
    """One subcommand a puzzle, each running the command's function on the puzzle."""

    run: Callable[..., int]

    def list_commands(self, ctx: Any) -> list[str]:
        from ..models import PUZZLES

        return list(PUZZLES)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """A riddle's name, or a JSON file, stands for the riddle; an LP or MPS file for itself."""
        from ..data import riddle_names
        from .model_files import is_model_file

        if is_model_file(args[0]):
            return "model", _model_command(type(self).run), args
        if args[0] in riddle_names() or args[0].lower().endswith(".json"):
            args = ["riddle", "--source", *args]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from ..models import PUZZLES

        if cmd_name not in PUZZLES:
            raise InputError(f"puzzle: expected one of {', '.join(PUZZLES)}; got {cmd_name!r}")
        puzzle = PUZZLES[cmd_name]
        return _single(cmd_name, _bound(puzzle, type(self).run), puzzle.about())


def _model_command(run: Callable[..., int]) -> Any:
    """The command on a model file."""
    from .model_files import ModelFile

    def command(path: Path, keys: list[str] | None, **rest: Any) -> int:
        return run(ModelFile(path, tuple(keys or ())), **rest)

    own = _own(run)
    text = "key variables: a name or a pattern such as x*; may be repeated"
    key = Annotated[list[str] | None, typer.Option("--keys", help=text)]
    options = [
        _parameter("path", Annotated[Path, typer.Argument()], inspect.Parameter.empty),
        _parameter("keys", key, None),
    ]
    return _single("model", _signed(command, options, own), "Read an LP or MPS file.")


def _single(name: str, command: Callable[..., int], text: str) -> Any:
    command.__doc__ = text
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(command)
    return typer.main.get_command(single)


def _own(run: Callable[..., int]) -> list[inspect.Parameter]:
    """The parameters of a command after the puzzle; ``**asked`` are those of :func:`_search`."""
    found = list(inspect.signature(run, eval_str=True).parameters.values())[1:]
    own = [p for p in found if p.kind is not inspect.Parameter.VAR_KEYWORD]
    if len(own) == len(found):
        return own
    shared = inspect.signature(_search, eval_str=True).parameters.values()
    return [*(p for p in shared if p.kind is inspect.Parameter.KEYWORD_ONLY), *own]


def _signed(
    command: Callable[..., int], options: list[inspect.Parameter], own: list[inspect.Parameter]
) -> Callable[..., int]:
    """``command`` with the parameters that Typer is to see."""
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    command.__signature__ = inspect.Signature([*options, *own])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*options, *own)}
    return command


def _must_differ(out: Path, **others: Path | None) -> None:
    """Of two files in one place, one would be lost."""
    for name, path in others.items():
        if path is not None and path.absolute() == out.absolute():
            raise InputError(f"{name}: is the file of --out too; name two")


def _source(puzzle: Any) -> tuple[Any, Any]:
    """A puzzle, or the arrays of a model file and its keys."""
    from .model_files import ModelFile

    if isinstance(puzzle, ModelFile):
        return puzzle.linear, puzzle.keys or None
    return puzzle, None


def _puzzle_command(name: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    def register(run: Callable[..., int]) -> Callable[..., int]:
        group = type(f"{name.title()}Group", (_PuzzleGroup,), {"run": staticmethod(run)})
        app.add_typer(
            typer.Typer(cls=group),
            name=name,
            help=inspect.getdoc(run),
        )
        # A group needs something to be a group; its commands are made when asked for.
        app.registered_groups[-1].typer_instance.callback()(lambda: None)  # type: ignore[union-attr]
        return run

    return register


def _bound(puzzle: Any, run: Callable[..., int]) -> Callable[..., int]:
    """A function whose parameters are the puzzle's fields and the command's own."""
    hints = get_type_hints(puzzle)
    options = [p for f in fields(puzzle) if f.init for p in _options(f, hints[f.name])]
    own = _own(run)
    files = {f.metadata["file"]: f.name for f in fields(puzzle) if "file" in f.metadata}

    def command(**values: Any) -> int:
        rest = {p.name: values.pop(p.name) for p in own}
        for option, name in files.items():
            if (path := values.pop(option)) is not None:
                if values[name]:
                    raise InputError(f"{name}: give it by --{name} or by --{option}, not by both")
                values[name] = path
        given = {name: value for name, value in values.items() if value not in (None, [])}
        return run(puzzle(**given), **rest)

    return _signed(command, options, own)


def _options(field: Field[Any], hint: Any) -> list[inspect.Parameter]:
    flag = "--" + field.name.replace("_", "-")
    text = field.metadata.get("help", "")
    kind: Any = hint if hint in (int, bool, str) else str | None
    if field.metadata.get("repeat"):
        kind, text = list[str] | None, f"{text}; may be repeated"
    elif hint == int | None:
        kind = int | None
    elif choices := _choices(hint):
        text = f"{text}: {', '.join(choices)}"
    default = field.default if isinstance(field.default, int | str) else None
    if field.default is MISSING and field.default_factory is MISSING:
        default = inspect.Parameter.empty  # type: ignore[assignment]
    declared = typer.Option(flag, help=text)
    made = [_parameter(field.name, Annotated[kind, declared], default)]
    if name := field.metadata.get("file"):
        declared = typer.Option(f"--{name}", help=f"a CSV file of {field.name} values, 0 for none")
        made.append(_parameter(name, Annotated[str | None, declared], None))
    return made


def _choices(hint: Any) -> list[str]:
    """The words of a ``Literal``, also of an optional one."""
    args = [a for part in getattr(hint, "__args__", ()) for a in getattr(part, "__args__", (part,))]
    return [a for a in args if isinstance(a, str)]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


SolverOption = Annotated[str, typer.Option(help="the solver; see nogood list")]
TimeOption = Annotated[float | None, typer.Option(help="stop after so many seconds")]
ThreadsOption = Annotated[int | None, typer.Option(help="threads of the solver")]
JsonOption = Annotated[bool, typer.Option("--json", help="one JSON object on standard output")]
WantOption = Annotated[
    str | None, typer.Option(help="feasible, or optimal (the default with an objective)")
]
GapOption = Annotated[
    float | None, typer.Option(help="all solutions within this of the best objective")
]
RelativeGapOption = Annotated[float | None, typer.Option(help="the same, relative to it")]
BestOption = Annotated[int | None, typer.Option(help="the so many best solutions")]
LimitOption = Annotated[int | None, typer.Option(help="stop after so many solutions")]
DistinctOption = Annotated[
    bool, typer.Option("--distinct", help="one solution of each orbit, with the orbit's size")
]
SymmetryOption = Annotated[str, typer.Option(help="all, or board: only rotations and reflections")]
NoSymmetryOption = Annotated[bool, typer.Option("--no-symmetry", help="search without symmetry")]
MethodOption = Annotated[
    str | None, typer.Option(help="split, the fast one, or cuts, with any solver")
]
WorkersOption = Annotated[
    int | None, typer.Option(help="processes; all cores where the work is long enough")
]


@_puzzle_command("solve")
def solve(
    puzzle: Any,
    solver: SolverOption = "highs",
    time_limit: TimeOption = None,
    gap: Annotated[float, typer.Option(help="relative gap at which to stop")] = 0.0,
    threads: ThreadsOption = None,
    log: Annotated[bool, typer.Option("--log", help="the solver's log")] = False,
    json: JsonOption = False,
) -> int:
    """Solve a puzzle, a riddle's file or an LP or MPS file once, to optimality."""
    from . import report, solving

    solved = solving.solve(
        _source(puzzle)[0], solver=solver, time_limit=time_limit, gap=gap, threads=threads, log=log
    )
    report.solved(puzzle, solved, json)
    if solved.status == "error":
        raise SolverError(f"{solver}: {solved.detail}")
    if solved.status == "size limit":
        raise SolverError(f"{solver}: size limit: {solved.detail}")
    return {"optimal": DONE, "infeasible": INFEASIBLE}.get(solved.status, STOPPED)


def _search(
    puzzle: Any,
    more: dict[str, Any],
    *,
    want: WantOption = None,
    gap: GapOption = None,
    relative_gap: RelativeGapOption = None,
    best: BestOption = None,
    limit: LimitOption = None,
    time_limit: TimeOption = None,
    distinct: DistinctOption = False,
    symmetry: SymmetryOption = "all",
    no_symmetry: NoSymmetryOption = False,
    method: MethodOption = None,
    workers: WorkersOption = None,
    solver: SolverOption = "highs",
    journal: Annotated[
        Path | None, typer.Option(help="keep solutions and progress in this SQLite file")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the journal")] = False,
) -> Any:
    """Enumerate, to the end; the options are those of each command that does so."""
    from . import enumeration, report

    found = enumeration.enumerate_solutions(
        *_source(puzzle),
        want=want,  # type: ignore[arg-type]
        gap=gap,
        relative_gap=relative_gap,
        best=best,
        limit=limit,
        time_limit=time_limit,
        distinct=distinct,
        symmetry=False if no_symmetry else symmetry,
        method=method,  # type: ignore[arg-type]
        workers=workers,
        solver=solver,
        journal=journal,
        resume=resume,
        **more,
    )
    report.progress(found)
    return found


@_puzzle_command("enumerate")
def enumerate_(
    puzzle: Any,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="write the table: .csv, .json, .parquet, .md or .tex; queens: .boards, .vectors"
        ),
    ] = None,
    memory: Annotated[
        float | None, typer.Option(help="stop when the solutions kept take so many MB")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="search on the Dask cluster with this scheduler's address")
    ] = None,
    json: JsonOption = False,
    **asked: Any,
) -> int:
    """Find all solutions of a puzzle, of a riddle's file or of an LP or MPS file."""
    from . import cluster, report, tables

    if out is not None:
        tables.must_be_table(out)
        _must_differ(out, journal=asked["journal"])
    more: dict[str, Any] = {"threads": threads, "memory": memory}
    with ExitStack() as stack:
        if dask is not None:
            more["executor"], asked["workers"] = stack.enter_context(cluster.dask(dask))
        found = _search(puzzle, more, **asked)
    if out is not None:
        tables.write_found(found, out)
    report.found(puzzle, found, json)
    if found.detail:
        _fail(found.detail, STOPPED)
    return DONE if found.stopped in (None, "limit") else STOPPED


@_puzzle_command("explore")
def explore(
    puzzle: Any,
    out: Annotated[Path, typer.Option(help="the page to write, ending in .html")],
    explain: Annotated[
        bool, typer.Option("--explain", help="explain the riddle on it, step by step")
    ] = False,
    **asked: Any,
) -> int:
    """Write a page on which all solutions can be looked at and filtered."""
    from ..models import Riddle
    from . import explaining, exploring, report

    exploring.must_be_page(out)
    _must_differ(out, journal=asked["journal"])
    if explain and not isinstance(puzzle, Riddle):
        raise InputError("explain: only riddles are explained")
    found = _search(puzzle, {}, **asked)
    said = explaining.explain(puzzle, time_limit=asked["time_limit"]) if explain else None
    exploring.explore(found, out, explanation=said)
    print(report.summary(puzzle, found))
    print(f"wrote {out}", file=sys.stderr)
    if said and said.stopped:
        print(f"explanation stopped by {said.stopped}: not all of it is there", file=sys.stderr)
    stopped = found.stopped if said is None else said.stopped or found.stopped
    return DONE if stopped in (None, "limit") else STOPPED


@_puzzle_command("compare")
def compare(
    puzzle: Any,
    formulations: Annotated[
        str, typer.Option(help="some of the puzzle's, with commas; all by default")
    ] = "",
    solvers: Annotated[str, typer.Option(help="solvers, with commas")] = "highs",
    seeds: Annotated[int, typer.Option(help="runs, where the solver has seeds; medians")] = 1,
    time_limit: Annotated[float, typer.Option(help="seconds for a run")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="write the table to this file")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw it to this file")] = None,
) -> int:
    """Compare formulations and solvers on one instance."""
    from . import comparing, report, tables

    if out is not None:
        tables.must_be_table(out)
    if plot is not None:
        tables.must_be_plot(plot)
    table = comparing.compare(
        puzzle,
        _names(formulations),
        _names(solvers),
        seeds=seeds,
        time_limit=time_limit,
        say=lambda line: print(line, file=sys.stderr),
    )
    print(report.text_table(table.dropna(axis="columns", how="all")))
    if out is not None:
        tables.write_table(table, out)
    if plot is not None and not table.empty:
        comparing.plot(table, plot)
    return STOPPED if table.attrs["interrupted"] else DONE


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


@_puzzle_command("export")
def export(
    puzzle: Any,
    out: Annotated[Path, typer.Option(help="the file to write")],
    format: Annotated[
        str | None, typer.Option(help="lp, mps or nl; by default the ending of the file")
    ] = None,
    relax: Annotated[bool, typer.Option("--relax", help="the LP relaxation")] = False,
    cuts: Annotated[
        Path | None,
        typer.Option(help="with the no-good cuts of the solutions in this file of enumerate"),
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option(help="write a solution of it to this file, in the solver's own format"),
    ] = None,
    solver: SolverOption = "highs",
) -> int:
    """Write the MILP as an LP, MPS or NL file."""
    from . import exporting, tables

    _must_differ(out, solution=solution)
    exporting.export_model(
        _source(puzzle)[0],
        out,
        format=format,
        relax=relax,
        cuts=() if cuts is None else tables.read_solutions(cuts),
        solution=solution,
        solver=solver,
    )
    print(f"wrote {out}{f' and {solution}' if solution else ''}", file=sys.stderr)
    return DONE


@_puzzle_command("show")
def show(
    puzzle: Any,
    format: Annotated[str, typer.Option(help="text, markdown or latex")] = "text",
) -> int:
    """Print the mathematics of a puzzle's formulation, and the sizes of the instance."""
    from . import mathematics
    from .model_files import ModelFile

    if format not in mathematics.FORMATS:
        expected = ", ".join(mathematics.FORMATS)
        raise InputError(f"format: expected one of {expected}; got {format!r}")
    if isinstance(puzzle, ModelFile):
        print(f"{puzzle.path}: {mathematics.size_of(puzzle.linear)}")
    else:
        print(mathematics.FORMATS[format](mathematics.formulation(puzzle)), end="")
    return DONE


@app.command()
def explain(
    source: Annotated[str, typer.Argument(help="a bundled riddle's name, or a JSON file")],
    all_conflicts: Annotated[
        bool,
        typer.Option("--all-conflicts", help="without a solution: all minimal sets of clues"),
    ] = False,
    time_limit: TimeOption = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="as Markdown")] = False,
    json: JsonOption = False,
) -> int:
    """Explain a riddle: what follows from which clue, what contradicts what."""
    from . import explain_text, explaining, report

    said = explaining.explain(source, all_conflicts=all_conflicts, time_limit=time_limit)
    if json:
        report.print_json(explain_text.as_dict(said))
    else:
        print(explain_text.as_text(said, markdown), end="")
    return DONE if said.stopped is None else STOPPED


@app.command()
def journal(
    file: Annotated[Path, typer.Argument(help="a journal of enumerate, also while it is written")],
    json: JsonOption = False,
) -> int:
    """Show how far the run of a journal is."""
    from . import report

    report.journal(file, json)
    return DONE


riddle_app = typer.Typer(help="The form of riddles.", rich_markup_mode=None)
app.add_typer(riddle_app, name="riddle")


@riddle_app.command()
def schema() -> int:
    """Print the JSON Schema of riddle files, for editors."""
    from ..data import riddle_schema
    from . import report

    report.print_json(riddle_schema())
    return DONE


@riddle_app.callback()
def _riddle() -> None:
    pass


@app.command("list")
def list_() -> int:
    """Show puzzles, formulations, instances and solvers."""
    from . import report

    report.inventory()
    return DONE


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="the folder to write to")] = Path("out"),
) -> int:
    """Show every puzzle once, with tables, boards and LP files."""
    from . import demo as show

    show.run(out)
    return DONE


@app.command()
def bench(
    task: Annotated[list[str] | None, typer.Option(help="a task; may be repeated")] = None,
    peer: Annotated[list[str] | None, typer.Option(help="a peer; may be repeated")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="a few tasks, once each")] = False,
    repeat: Annotated[int, typer.Option(help="runs of each, in alternation")] = 3,
    time_limit: Annotated[float, typer.Option(help="seconds for a run")] = 120.0,
    out: Annotated[Path | None, typer.Option(help="write the table to this file")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw it to this file")] = None,
) -> int:
    """Measure against CP-SAT, Gurobi, SCIP and Pyomo, whichever are here."""
    from . import bench as measure
    from . import tables

    check_positive("repeat", repeat, whole=True)
    check_positive("time_limit", time_limit)
    if out is not None:
        tables.must_be_table(out)
    if plot is not None:
        tables.must_be_plot(plot)
    table = measure.run(task or (), peer, quick=quick, repeat=repeat, time_limit=time_limit)
    print(measure.as_text(table, min(time_limit, 5.0) if quick else time_limit))
    print(f"\nseconds (times {measure.OURS}'s); {measure.machine()}")
    if out is not None:
        tables.write_table(table, out)
    if plot is not None and not table.empty:
        measure.plot(table, plot)
    return STOPPED if table.attrs["interrupted"] else DONE


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="print the version")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"nogood {installed('nogood')}")
        raise typer.Exit
