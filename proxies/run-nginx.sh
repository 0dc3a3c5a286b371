#!/bin/sh
# Becomes nginx, in the foreground, with PROXY_WORKERS workers like every proxy. nginx.conf overrides both: nginx refuses
# a setting that it has twice. Arguments, such as -t, are passed on.
set -eu
is_set() { grep -Eq "^[[:space:]]*$1[[:space:]]" /etc/nginx/nginx.conf; }

directives=
is_set daemon || directives="daemon off;"
is_set worker_processes || directives="$directives worker_processes $PROXY_WORKERS;"
# nginx reads no variables, so this changes a copy. On the machine's own network (NETWORK=host) the server has another port, and its name
# is in /etc/hosts, which `resolve` does not read. Before 1.27.3 there is no `resolve`.
is_before_resolve() {
  version=$(nginx -v 2>&1 | sed 's|.*nginx/\([0-9.]*\).*|\1|')
  [ "$version" != 1.27.3 ] && [ "$(printf '%s\n' "$version" 1.27.3 | sort -V | head -n 1)" = "$version" ]
}
if [ -n "${SERVER_PORT:-}" ] || is_before_resolve; then
  sed -e "s/echo:8080/echo:${SERVER_PORT:-8080}/" -e 's/ resolve;/;/' /etc/nginx/nginx.conf >/tmp/nginx.conf
  set -- -c /tmp/nginx.conf "$@"
fi
exec nginx "$@" -g "$directives"
