"""Run my answer: a learner's own queue plays a story or a check, and pages show the recording."""
