#!/bin/sh
# Becomes Envoy, with PROXY_WORKERS threads, and its own arguments (../envoy-hot-restart). ENVOY_CONFIG is another file than the usual
# (../envoy-file-xds).
set -eu
# The number of the configuration, where a battle changes and reads it: Envoy would refuse a file that is not there.
[ ! -e /generation/number ] || GENERATION=$(cat /generation/number)
export GENERATION
# Envoy reads no variables, so this changes a copy.
config=${ENVOY_CONFIG:-/etc/envoy/envoy.yaml}
if [ -n "${LB_POLICY:-}" ]; then
  sed "s/lb_policy: .*/lb_policy: $LB_POLICY/" "$config" >/tmp/envoy.yaml
  config=/tmp/envoy.yaml
fi
# Default of --concurrency: a thread for each core of the host. --log-level (default info) shows only warnings and errors.
exec envoy -c "$config" --concurrency "$PROXY_WORKERS" --log-level warn "$@"
