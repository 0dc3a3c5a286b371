#!/bin/sh
# Starts InfluxDB as the official image does: on an empty volume, a server that only this container can reach first
# runs the *.iql files of /docker-entrypoint-initdb.d; then the real one starts.
set -eu

if [ ! -e /var/lib/influxdb/meta/meta.db ]; then
  INFLUXDB_HTTP_BIND_ADDRESS=127.0.0.1:8086 influxd &
  server=$!
  tries=100
  until curl --silent --fail --output /dev/null http://127.0.0.1:8086/ping; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "influxdb: the server did not answer on 127.0.0.1:8086 within 10 s; see its log above" >&2
      exit 1
    fi
    sleep 0.1
  done
  for file in /docker-entrypoint-initdb.d/*.iql; do
    if [ -e "$file" ]; then
      influx -host 127.0.0.1 -execute "$(cat "$file")"
    fi
  done
  kill "$server"
  wait "$server" || true
fi
exec "$@"
