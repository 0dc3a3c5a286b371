#!/bin/sh
# Becomes Envoy, with PROXY_WORKERS threads, and its own arguments (../envoy-hot-restart).
set -eu
# The number of the configuration, where a battle changes and reads it: Envoy would refuse a file that is not there.
[ ! -e /generation/number ] || GENERATION=$(cat /generation/number)
export GENERATION
config=/etc/envoy/envoy.yaml
# A variant of this proxy logs (../envoy-access-log): no file of Envoy's adds to a listener of another.
if [ -n "${ACCESS_LOG:-}" ]; then
  sed "s|^\( *\)stat_prefix: clients$|&\n\1access_log: $ACCESS_LOG|" "$config" >/tmp/envoy.yaml
  config=/tmp/envoy.yaml
fi
# Default of --concurrency: a thread for each core of the host. --log-level (default info) shows only warnings and errors.
exec envoy -c "$config" --concurrency "$PROXY_WORKERS" --log-level warn "$@"
