#!/bin/sh
# Fetches tomorrow's tables; run by cron at 23:30.
set -eu

cd "$(dirname "$0")/.."
tomorrow=$(date -d tomorrow +%F)

for station in cuxhaven helgoland busum; do
    PYTHONPATH=src python3 -m tidewatch show "$station" --day "$tomorrow"
done
