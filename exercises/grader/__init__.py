"""The grader: runs a learner's answer against an exercise's checks and says what it found.

Its rooms, in the order in which a `jobkit check` passes through them:

* `judging`: `catalogue` reads an exercise's folder, `answers` the learner's file. `provenance` asks, without
  running it, whether it is the learner's own work. `runner` walks through the checks: trusted code, which
  runs here, in the grader's process. `case` is what a check sees; it passes calls on to the answer and writes
  the trace. `diagnosis` matches what failed, and how, with the known `misconceptions` and their `verdicts`.
  Where the learner writes the tests, `trials` runs them on right and flawed queues (`subjects`).
* `running`: `process` starts the answer in a process of its own, with limits; `child` is the other side. The
  two exchange plain values (`wire`) over a private pipe. `threads` schedules an answer's threads.
* `explaining`: `report` puts the result into words, `hints` gives the hints one by one, `progress` keeps what
  a learner has reached, and `portable` carries it to another machine.
* `proving`: `verify` grades the grader. Every exercise must behave as it promises, and so must its flaws
  (`verify_flaws`); some check must notice each small wrong change to a right answer (`mechanical`).
* `classroom` grades a whole class.

The verdict is formed where the answer's code never runs. An answer can print "passed", end its process or
patch any module it likes: all that reaches the grader are the values that its methods returned. This guards
against accidents and lazy tricks. It is no sandbox: the answer runs with the rights of whoever starts it, so
check only code that you would also run yourself.
"""

from exercises.grader.judging.case import Case
from exercises.grader.judging.checking import Check, check

__all__ = ["Case", "Check", "check"]
