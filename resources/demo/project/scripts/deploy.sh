#!/bin/sh
# Copies the pages of all stations to the web server.
set -eu

target=${1:-${TIDEWATCH_TARGET:?"usage: deploy.sh HOST:FOLDER"}}
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

for station in cuxhaven helgoland busum; do
    python3 -m tidewatch page "$station" > "$pages/$station.html"
done

cp web/*.js web/*.css "$pages"
rsync --archive --delete "$pages/" "$target"
