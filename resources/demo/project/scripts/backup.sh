#!/bin/sh
# Keeps a copy of the database per weekday.
set -eu

database=${1:-tidewatch.sqlite}
folder=${2:-backups}
mkdir -p "$folder"
cp "$database" "$folder/$(date +%u).sqlite"
