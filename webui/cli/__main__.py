"""`python -m webui.cli` is `jobkit`, where that is not on the path."""

import sys

from webui.cli import main

sys.exit(main())
