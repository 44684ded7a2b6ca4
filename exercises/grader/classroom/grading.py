"""One run over a class: from the sorted submissions to the written results, whatever happens in between."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

from exercises.grader.classroom.record import Grade, Record, ungraded
from exercises.grader.classroom.results import Results
from exercises.grader.classroom.submissions import Sorted, Submission
from exercises.grader.classroom.worker_pool import Outcome, WorkerPool
from exercises.grader.judging.catalogue import Exercise

NOT_REACHED = "The run was stopped before its turn."


@dataclass(slots=True)
class Run:
    """What a run has found so far; `records` may be asked for at any time."""

    found: Sorted
    exercises: Mapping[str, Exercise]
    results: Results
    grades: dict[Submission, Grade] = field(default_factory=dict)
    stopped: bool = False
    _of: dict[str, list[Submission]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.found.submissions:
            self._of.setdefault(one.learner, []).append(one)

    def go(self, pool: WorkerPool, at_once: int, tell: Callable[[Outcome], None]) -> None:
        """Grade everything; write each learner's files as soon as they are complete, the class's at the end.

        Ctrl-C ends the grading, not the writing: what is done by then is kept, the rest named as not reached.
        """
        waiting = {learner: len(mine) for learner, mine in self._of.items()}
        try:
            with closing(pool.grade(self.found.submissions, at_once)) as outcomes:
                for one, grade in outcomes:
                    self.grades[one] = grade
                    waiting[one.learner] -= 1
                    if not waiting[one.learner]:
                        self.results.write_learner(self._record(one.learner))
                    tell((one, grade))
        except KeyboardInterrupt:
            self.stopped = True
            for learner, missing in waiting.items():
                if missing and missing < len(self._of[learner]):
                    self.results.write_learner(self._record(learner))
        self.results.write_class(self.records)

    @property
    def records(self) -> list[Record]:
        """A record for each learner, in order."""
        return [self._record(learner) for learner in self.found.learners]

    @property
    def ungraded(self) -> list[tuple[str, Grade]]:
        """Every submission without a grade: whose it is, and why."""
        return [(record.learner, grade) for record in self.records for grade in record.problems]

    @property
    def undecided(self) -> list[Grade]:
        """Every grade in which something could not be decided."""
        return [grade for record in self.records for grade in record.undecided]

    def _record(self, learner: str) -> Record:
        return Record(learner, tuple(map(self._grade, self._of[learner])), self.found.older.get(learner, ()))

    def _grade(self, one: Submission) -> Grade:
        if one in self.grades:
            return self.grades[one]
        return ungraded(self.exercises[one.exercise], one.path.as_posix(), NOT_REACHED)
