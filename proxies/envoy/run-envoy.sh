#!/bin/sh
# Becomes Envoy, with PROXY_WORKERS threads, and with what else its arguments say (../envoy-hot-restart).
set -eu
# The number of the configuration, where a battle changes it and asks for it: Envoy would refuse a file that is not there.
[ ! -e /generation/number ] || GENERATION=$(cat /generation/number)
export GENERATION
# Default of --concurrency: a thread for each core of the host. The fewer lines of --log-level (default info) are errors and warnings.
exec envoy -c /etc/envoy/envoy.yaml --concurrency "$PROXY_WORKERS" --log-level warn "$@"
