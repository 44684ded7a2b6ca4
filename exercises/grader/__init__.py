"""The grader: runs a learner's answer against an exercise's checks and says what it found.

How the parts fit, in the order in which a `jobkit check` passes through them:

* `catalogue` finds an exercise folder and reads it: texts, tasks, checks; `misconceptions` its wrong ideas.
* `answers` owns the files in the learner's `answers/` folder, `progress` the one JSON file beside them.
* `provenance` reads the answer's text, without running it: is it the learner's own work?
* `runner` walks through the checks. A check is trusted code and runs here, in the grader's process.
* `process` starts the answer in a process of its own, with limits; `child` is the other side of it.
  The two talk in plain values (`wire`) over a private pipe.
* `case` is what a check sees: it passes calls on to the answer and writes the trace in words.
* Where the learner writes the tests, `subjects` are the right and the flawed queues, `trials` runs the tests on
  them, and `lending` lends a queue to a test that runs over there (`borrowed` is its other side).
* `diagnosis` matches what failed, and how, with the known wrong ideas; `report` puts the result into words, and
  `ladder` gives the hints one after the other.
* `verify` grades the grader: every exercise must behave as it promises, and so must its flaws (`verify_flaws`);
  `mechanical` makes the small wrong changes to a right answer, each of which some check must notice.

Around it: `portable` carries progress from one machine to another, and `classroom` grades a whole class.

The verdict is formed where the answer's code never runs. An answer can print "passed", end its process or
patch any module it likes: all that reaches the grader are the values that its methods returned. This guards
against accidents and lazy tricks. It is no sandbox: the answer runs with the rights of whoever starts it, so
check only code that you would also run yourself.
"""

from exercises.grader.judging.case import Case
from exercises.grader.judging.checking import Check, check

__all__ = ["Case", "Check", "check"]
