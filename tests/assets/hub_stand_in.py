"""A hub of one repository on this machine's loopback: the few answers of its protocol that a client needs."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class _Hub(ThreadingHTTPServer):
    files: dict[str, bytes]


class _Answers(BaseHTTPRequestHandler):
    server: _Hub

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if "/tree/" in path:
            self._json([{"type": "file", "path": name, "size": len(data), "oid": _etag(data)}
                        for name, data in self.server.files.items()])  # fmt: skip
        elif path.startswith("/api/"):
            self._json({"id": "us/thing", "sha": COMMIT, "private": False, "tags": [], "downloads": 0, "likes": 0,
                        "siblings": [{"rfilename": name} for name in self.server.files]})  # fmt: skip
        elif (name := path.partition(f"/resolve/{COMMIT}/")[2]) in self.server.files:
            self._send(self.server.files[name], "application/octet-stream")
        else:
            self.send_error(404)

    def _json(self, answer: Any) -> None:
        self._send(json.dumps(answer).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        for header, value in (("Content-Type", kind), ("Content-Length", str(len(data))), ("ETag", f'"{_etag(data)}"')):
            self.send_header(header, value)
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


def _etag(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()  # noqa: S324 - as git names blobs


@contextmanager
def hub(files: dict[str, bytes]) -> Iterator[str]:
    """Serve a repository's files and yield the address for HF_ENDPOINT; `files` may change while it runs."""
    server = _Hub(("127.0.0.1", 0), _Answers)
    server.files = files
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
