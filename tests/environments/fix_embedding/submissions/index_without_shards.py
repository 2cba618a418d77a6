"""An index whose shards are not there.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: the index alone was copied.
Expect: invalid
Reason: bad_index
Naive: rejects
"""

import json
import os

from safetensors.torch import load

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    names = load(open("fixed_model.safetensors", "rb").read())
    os.remove("fixed_model.safetensors")
    text = json.dumps({"weight_map": dict.fromkeys(names, "model-1-of-1.safetensors")})
    open("fixed_model.safetensors.index.json", "w").write(text)
