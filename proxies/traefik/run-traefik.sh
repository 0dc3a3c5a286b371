#!/bin/sh
# Becomes Traefik. By itself it would look a server's name up for every connection: instead it is given the addresses that the name has, as an
# orchestrator would tell it, and takes turns. They are looked up every 5 s; where they have changed, it reads them at SIGHUP.
set -eu
servers=/etc/traefik/dynamic/servers/servers.yaml

# Fails, and changes nothing, where the name has no address, or the same as before.
write_servers() {
  urls=$(getent ahostsv4 echo | cut -d ' ' -f 1 | sort -u | sed 's|.*|{ url: "http://&:8080" }|' | paste -s -d , -)
  [ -n "$urls" ] || return 1
  cat >"$servers.new" <<END
http:
  services:
    echo:
      loadBalancer:
        servers: [$urls]
        serversTransport: echo
END
  # A reload may read at any time: never half a file.
  ! cmp -s "$servers.new" "$servers" && mv "$servers.new" "$servers"
}

write_servers || echo "run-traefik: the name echo has no address yet" >&2
# What `exec` below becomes has the number of this shell.
while sleep 5; do
  ! write_servers || kill -HUP $$
done &
exec traefik --configFile=/etc/traefik/traefik.yaml
