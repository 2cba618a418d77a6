"""A tensor that reaches beyond the end.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: offsets moved on by four bytes.
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

    last = max(header, key=lambda name: header[name].get("data_offsets", [0])[0])
    header[last]["data_offsets"] = [offset + 4 for offset in header[last]["data_offsets"]]

    text = json.dumps(header).encode()
    open("fixed_model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + rest)
