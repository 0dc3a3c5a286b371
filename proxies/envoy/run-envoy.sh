#!/bin/sh
# Becomes Envoy, with PROXY_WORKERS threads, and its own arguments (../envoy-hot-restart). ENVOY_CONFIG is another file than the usual
# (../envoy-file-xds).
set -eu
# The number of the configuration, where a battle changes and reads it: Envoy would refuse a file that is not there.
[ ! -e /generation/number ] || GENERATION=$(cat /generation/number)
export GENERATION
config=${ENVOY_CONFIG:-/etc/envoy/envoy.yaml}
# Envoy reads no variables, and no second file that changes the first: what a variant changes is an edit of a copy
# (../envoy-least-request, ../envoy-access-log).
if [ -n "${ENVOY_EDIT:-}" ]; then
  sed "$ENVOY_EDIT" "$config" >/tmp/envoy.yaml
  config=/tmp/envoy.yaml
fi
# Default of --concurrency: a thread for each core of the host. --log-level (default info) shows only warnings and errors.
exec envoy -c "$config" --concurrency "$PROXY_WORKERS" --log-level warn "$@"
