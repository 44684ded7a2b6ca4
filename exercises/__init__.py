"""The exercises of the kit, one folder each, and the grader that checks answers to them."""
