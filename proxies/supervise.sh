#!/bin/sh
# Starts COMMAND, and starts it again 0.1 s after its end, as systemd does with Restart=always: supervise.sh COMMAND…
# It replaces raise-limits.sh where a battle stops or kills a proxy: container and network stay, as they do for users.
set -u
if [ $$ -ne 1 ]; then
  echo "supervise: only as the first process of a container, as it kills all others there" >&2
  exit 2
fi
while :; do
  sh /raise-limits.sh "$@" &
  wait $!
  # Its remaining processes: systemd also ends all processes of a unit with its main one.
  kill -KILL -1 2>/dev/null
  sleep 0.1
done
