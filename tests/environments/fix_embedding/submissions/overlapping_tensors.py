"""Two tensors in the same place.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: one bias lies where another does.
Expect: invalid
Reason: not_safetensors
Naive: rejects
"""

import json
import os
import struct

if __name__ == "__main__":
    assert os.getuid() == 10001, "only as the agent of the sandbox image"
    data = open("fixed_model.safetensors", "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header, rest = json.loads(data[8 : 8 + length]), data[8 + length :]

    header["ln_f.bias"]["data_offsets"] = header["ln_f.weight"]["data_offsets"]

    text = json.dumps(header).encode()
    open("fixed_model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + rest)
