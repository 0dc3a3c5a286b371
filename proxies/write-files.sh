#!/bin/sh
# Writes what a file server serves, then becomes that server: write-files.sh COMMAND…
# Into /tmp, which is in memory, as a file that is read often is on any machine.
# Sizes and content are those of services/node-web/src/content.js; `./bench verify` compares every byte.
set -eu
mkdir -p /tmp/www/files
for bytes in 12 2216 4879 30192 786432; do
  yes 'Hello world' | head -c "$bytes" >"/tmp/www/files/$bytes"
done
echo ok >/tmp/www/healthz
exec "$@"
