#!/bin/sh
# The parent that a hot restart needs, with the signals of Envoy's hot-restarter.py, which needs Python, and one to drain:
#   HUP   starts another Envoy, which reads the current configuration and takes over the listening sockets. The one before keeps
#         what is open until the next HUP: Envoy allows two at a time, and the newest ends the one before its parent.
#   QUIT  drains (drain-envoy.sh), and ends all
#   TERM  ends all, and what is open, at once
set -eu
# Default 600: for that long a draining Envoy accepts new connections of clients that still reach it.
DRAIN_SECONDS=5
# Default 900: then the newest ends the one before it and what is still open. A day, as with all proxies here that keep old connections.
PARENT_SECONDS=86400
# Only for the drain, and only from inside. The options are SO_REUSEPORT: without, the next Envoy finds the port in use (envoyproxy/envoy 38146).
ADMIN='admin:
  address: { socket_address: { address: 127.0.0.1, port_value: 9901 } }
  socket_options: [{ level: 1, name: 15, int_value: 1, state: STATE_PREBIND }]'

epoch=0
start() {
  sh /run-envoy.sh --restart-epoch "$epoch" --drain-time-s "$DRAIN_SECONDS" --parent-shutdown-time-s "$PARENT_SECONDS" \
    --config-yaml "$ADMIN" &
  newest=$!
}

trap 'epoch=$((epoch + 1)); start' HUP
trap 'sh /drain-envoy.sh "$DRAIN_SECONDS"; kill -TERM "$newest"' QUIT
trap 'kill -TERM "$newest"' TERM
start
status=0
# A signal also ends `wait`. With the newest all end, as with hot-restarter.py.
while kill -0 "$newest" 2>/dev/null; do
  status=0
  wait "$newest" || status=$?
done
exit "$status"
