#!/bin/sh
# Image build, as root: the packages named on the command line, the two users, the folders that every image has.
# apt's sources, proxy and CA are the evaluator's own, seen through secrets; nothing of them stays in the image.
set -eu
secrets=/run/secrets
# The evaluator's sources fit where their machine runs the same release; else the base image's own are used.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [ -s "$secrets/apt.conf" ] && grep -q " $codename " "$secrets/apt.list"; then
    export APT_CONFIG="$secrets/apt.conf"
fi
export DEBIAN_FRONTEND=noninteractive

# python:3.11-slim brings headers of its own; Debian's Python needs the package.
[ -x /usr/local/bin/python3 ] || set -- python3-dev python3-venv "$@"
if ! dpkg -s "$@" >/dev/null 2>&1; then
    apt-get update
    apt-get install -y --no-install-recommends "$@"
    rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/*.log
fi

groupadd -g 10001 agent
groupadd -g 10002 solver
useradd -u 10001 -g agent -m -k /dev/null -d /home/agent -s /bin/bash agent
useradd -u 10002 -g solver -M -d /nonexistent -s /usr/sbin/nologin solver
chmod 0700 /home/agent /root

mkdir -p /opt/rebench/trusted /opt/rebench/private /opt/rebench/kept /opt/rebench/scorings
chmod 0711 /opt/rebench /opt/rebench/scorings
chmod 0700 /opt/rebench/trusted /opt/rebench/private /opt/rebench/kept

# Login shells (Inspect's tools use them) set PATH anew.
echo 'PATH=/opt/work/bin:$PATH' >/etc/profile.d/rebench.sh
