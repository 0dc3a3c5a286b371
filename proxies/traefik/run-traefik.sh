#!/bin/sh
# Becomes Traefik, which would look a server's name up for every connection. Instead it gets the name's addresses, as from an
# orchestrator, and uses them in turn. They are looked up every 5 s; when they have changed, it reads them at SIGHUP.
set -eu
servers=/etc/traefik/dynamic/servers/servers.yaml
known=
# STRATEGY: how a server is chosen; in turn by default, and a variant has another (../traefik-p2c). Before 3.4 the field is an error.

# Fails and changes nothing if the name has no address, or still the known ones.
write_servers() {
  urls=
  before=
  # One line per kind of socket: an address and words. The name server sends addresses in any order.
  for address in $(getent ahostsv4 echo | sort); do
    case $address in
      "$before" | *[!0-9.]*) ;;
      *)
        urls="$urls${urls:+, }{ url: \"http://$address:8080\" }"
        before=$address
        ;;
    esac
  done
  if [ -z "$urls" ] || [ "$urls" = "$known" ]; then return 1; fi
  known=$urls
  # A reload may read at any time: never half a file.
  cat >"$servers.new" <<END
http:
  services:
    echo:
      loadBalancer:${STRATEGY:+
        strategy: $STRATEGY}
        servers: [$urls]
        serversTransport: echo
END
  mv "$servers.new" "$servers"
}

write_servers || echo "run-traefik: the name echo has no address yet" >&2
# `exec` below keeps the process id of this shell.
while sleep 5; do
  ! write_servers || kill -HUP $$
done &
config=/etc/traefik/traefik.yaml
# A variant of this proxy logs (../traefik-access-log): Traefik reads one such file.
if [ -n "${ACCESS_LOG:-}" ]; then
  { cat "$config" && echo "accessLog: $ACCESS_LOG"; } >/tmp/traefik.yaml
  config=/tmp/traefik.yaml
fi
exec traefik --configFile="$config"
