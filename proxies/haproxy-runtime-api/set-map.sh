#!/bin/sh
# Writes the map with the battle's number, which HAProxy reads as it starts, and tells the one that runs, if any.
set -eu
map=/tmp/generation.map
number=$(cat /generation/number 2>/dev/null || echo none)
echo "number $number" >"$map"
# No program in the image speaks to sockets, but bash can. It waits for the answer, which is empty unless something is wrong.
bash -c '{ exec 3<>/dev/tcp/127.0.0.1/9999; } 2>/dev/null || exit 0
printf "set map %s number %s\n" "$1" "$2" >&3
cat <&3 >&2' - "$map" "$number"
