"""Lets a torchvision that was built for CUDA import beside a CPU torch: two operators that it expects are declared.

Loaded by `torchvision_operators.pth` at the start of every Python in /opt/work. Composer imports torchvision and uses
nothing of it here; its own library cannot be loaded without CUDA, and registering fakes for absent operators fails.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

_SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
_libraries: list[Any] = []


class _Declare(MetaPathFinder):
    """Finds nothing; the first import of torchvision passes by."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            import torch  # late: most programs never come here

            if torch.version.cuda is None:
                library = torch.library.Library("torchvision", "DEF")
                for operator in ("nms", "qnms"):
                    library.define(operator + _SIGNATURE)
                _libraries.append(library)
        return None


sys.meta_path.insert(0, _Declare())
