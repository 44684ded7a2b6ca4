"""The board: labs of simulated worlds, what they show, and what one can do to them."""
