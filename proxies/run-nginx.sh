#!/bin/sh
# Becomes nginx, in the foreground, with PROXY_WORKERS workers as every proxy has them. Where nginx.conf says either by itself, that
# holds: nginx refuses to be told twice.
set -eu
is_set() { grep -Eq "^[[:space:]]*$1[[:space:]]" /etc/nginx/nginx.conf; }

directives=
is_set daemon || directives="daemon off;"
is_set worker_processes || directives="$directives worker_processes $PROXY_WORKERS;"
# On the machine's own network (NETWORK=host) the server has another port, and nginx reads no variables.
if [ -n "${SERVER_PORT:-}" ]; then
  sed "s/echo:8080/echo:$SERVER_PORT/" /etc/nginx/nginx.conf >/tmp/nginx.conf
  set -- -c /tmp/nginx.conf
fi
exec nginx "$@" -g "$directives"
