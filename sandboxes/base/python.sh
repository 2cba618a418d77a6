#!/bin/sh
# Image build, as root: /opt/work for the agent and submitted code, /opt/rebench/trusted for the scorer.
# pip's index, proxy and CA are the evaluator's own, seen through secrets; local wheels come from a build context.
set -eu
secrets=/run/secrets
[ ! -s "$secrets/pip.conf" ] || export PIP_CONFIG_FILE="$secrets/pip.conf"
[ ! -s "$secrets/ca.crt" ] || export PIP_CERT="$secrets/ca.crt"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# Nobody can write bytecode there later: pip compiles what it installs, compileall finds what it left out.
python3 -m venv /opt/work
/opt/work/bin/pip install --progress-bar off -r /run/pins/work.txt
python3 -m venv --without-pip /opt/rebench/trusted
/opt/work/bin/pip --python /opt/rebench/trusted/bin/python install --progress-bar off -r /run/pins/trusted.txt
for venv in /opt/work /opt/rebench/trusted; do
    # Some packages ship test files that are no Python 3: those have no bytecode.
    "$venv/bin/python" -m compileall -q -j 0 "$venv/lib" >/dev/null 2>&1 || true
    chmod -R go-w "$venv"
done
chmod 0700 /opt/rebench/trusted
