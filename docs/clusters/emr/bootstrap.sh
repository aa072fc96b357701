#!/usr/bin/env bash
# EMR 7 comes with Python 3.9; the archive is made for 3.11 (./dev archive /usr).
set -euo pipefail
sudo dnf install -y -q python3.11
