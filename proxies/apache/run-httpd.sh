#!/bin/sh
# Becomes Apache httpd, in the foreground. It uses the first address that a name has, and wants several in a list: where the name echo has
# several, they are written for httpd.conf first, and SEVERAL is defined. They are looked up as the container starts, and by no reload.
set -eu
servers=/run/servers.conf
for address in $(getent ahostsv4 echo | cut -d ' ' -f 1 | sort -u); do
  # The settings stand in httpd.conf.
  # shellcheck disable=SC2016
  printf 'BalancerMember http://%s:8080 ${forwarding}\n' "$address"
done >"$servers"
[ "$(wc -l <"$servers")" -lt 2 ] || set -- -D SEVERAL
exec httpd -D FOREGROUND -f /usr/local/apache2/conf/httpd.conf "$@"
