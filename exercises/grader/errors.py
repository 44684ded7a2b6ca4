"""What can be wrong with an exercise itself, or with asking for one: each is told in one line."""


class ExerciseError(Exception):
    """Something about an exercise that one line can say."""


class UnknownExerciseError(ExerciseError):
    """No exercise has this name."""


class BadExerciseError(ExerciseError):
    """An exercise folder lacks something or contradicts itself."""
