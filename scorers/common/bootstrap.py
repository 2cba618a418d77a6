"""First code of a scoring: unpacks the scorer that arrives on standard input, then becomes it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the folder is made here, by root, closed to everyone else, before a byte of the scorer is on disk.
Not covered: what the scorer does. Trusts: its interpreter and the host that sent the archive.
Usage: python -I -B -c <this text> FOLDER < scorer.tar
"""

import io
import os
import sys
import tarfile

folder = sys.argv[1]
os.umask(0o022)
os.makedirs(folder, mode=0o711)
os.mkdir(os.path.join(folder, "trusted"), mode=0o700)
with tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read())) as archive:
    archive.extractall(folder)
os.chdir("/")
os.execv(sys.executable, [sys.executable, "-I", "-B", os.path.join(folder, "trusted")])
