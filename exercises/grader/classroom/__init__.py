"""Grading a class: a folder of submissions in, one record for each learner out, every format from the records.

How the parts fit, in the order in which `jobkit grade` passes through them:

* `submissions` finds the files and tells from their names whose they are and what they answer.
* `worker_pool` grades them, several at a time, each in a grader process of its own; `single` is that process.
* `record` is what is known of one learner. `single` makes it, and leaves out what a learner may not see;
  everything later knows only the record.
* `formats` writes records down: each format is a function from records to texts. `results` puts them in
  a folder. `grading` is one run through all this.
* `notebook` makes an exercise into a notebook for nbgrader; `in_notebook` is what its cells call.
"""
