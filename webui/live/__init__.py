"""The live queue: the service that board and workers share, and its pages for operators."""
