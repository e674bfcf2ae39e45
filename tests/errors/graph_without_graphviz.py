import os
from unittest.mock import patch

import backsweep as bs


def square(x):
    return x * x


def fail():
    with patch.dict(os.environ, PATH=""):
        bs.trace(square)(3.0).graph().svg()
