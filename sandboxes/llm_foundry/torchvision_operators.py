"""Lets a torchvision that was built for CUDA import beside a CPU torch: two operators that it expects are declared.

Loaded by `torchvision_operators.pth` at the start of every Python in /opt/work. Composer imports torchvision and uses
nothing of it here; its own library cannot be loaded without CUDA, and registering fakes for absent operators fails.
"""

import sys
from importlib.abc import MetaPathFinder

_SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
_libraries = []


class _Declare(MetaPathFinder):
    """Finds nothing; the first import of torchvision passes by."""

    def find_spec(self, name, path=None, target=None):  # noqa: ANN001, ANN201, ARG002
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            if torch.version.cuda is None:
                library = torch.library.Library("torchvision", "DEF")
                for operator in ("nms", "qnms"):
                    library.define(operator + _SIGNATURE)
                _libraries.append(library)


sys.meta_path.insert(0, _Declare())
