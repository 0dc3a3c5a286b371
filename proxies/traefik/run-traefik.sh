#!/bin/sh
# Becomes Traefik. By itself it would look a server's name up for every connection: instead it is given the addresses that the name has, as an
# orchestrator would tell it, and takes turns. They are looked up every 5 s; where they have changed, it reads them at SIGHUP.
set -eu
servers=/etc/traefik/dynamic/servers/servers.yaml
known=

# Fails, and changes nothing, where the name has no address, or those that are known.
write_servers() {
  urls=
  before=
  # A line for each kind of socket: an address and words. The name server gives the addresses in any order.
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
      loadBalancer:
        servers: [$urls]
        serversTransport: echo
END
  mv "$servers.new" "$servers"
}

write_servers || echo "run-traefik: the name echo has no address yet" >&2
# What `exec` below becomes has the number of this shell.
while sleep 5; do
  ! write_servers || kill -HUP $$
done &
exec traefik --configFile=/etc/traefik/traefik.yaml
