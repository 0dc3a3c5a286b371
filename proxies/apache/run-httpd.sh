#!/bin/sh
# Becomes Apache httpd, in the foreground. httpd uses only a name's first address. If the name echo has several, this lists them for
# httpd.conf and defines SEVERAL. They are looked up when the container starts, not at a reload.
set -eu
servers=/run/servers.conf
for address in $(getent ahostsv4 echo | cut -d ' ' -f 1 | sort -u); do
  # The settings are in httpd.conf.
  # shellcheck disable=SC2016
  printf 'BalancerMember http://%s:8080 ${forwarding}\n' "$address"
done >"$servers"
[ "$(wc -l <"$servers")" -lt 2 ] || set -- -D SEVERAL
exec httpd -D FOREGROUND -f /usr/local/apache2/conf/httpd.conf "$@"
