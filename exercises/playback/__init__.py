"""A learner's answer on the board: it plays a scenario, or the conversation of a check, and is recorded."""
