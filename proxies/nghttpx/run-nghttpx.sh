#!/bin/sh
# Becomes nghttpx, with PROXY_WORKERS threads.
set -eu
# The number of the configuration, where a battle changes and reads it: nghttpx would refuse a file that is not there.
if [ -e /generation/nghttpx.conf ]; then
  ln -sf /generation/nghttpx.conf /run/generation.conf
else
  : >/run/generation.conf
fi
exec nghttpx --conf=/etc/nghttpx/nghttpx.conf --workers="$PROXY_WORKERS"
