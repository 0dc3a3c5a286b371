#!/bin/sh
# Writes what Envoy takes from a file instead of ../envoy/envoy.yaml, as a control plane would send it: write-xds.sh routes|listeners
# The rest of the configuration is /tmp/envoy.yaml, which Envoy reads once. It reads the file again when another is moved to its place,
# and not when it is edited.
set -eu
full=/etc/envoy/envoy.yaml
file=/tmp/$1.yaml
source="{ path_config_source: { path: $file } }"
number=$(cat /generation/number 2>/dev/null || echo none)

# What stands between two lines.
between() {
  sed -n "/^ *$1:\$/,/^ *$2:\$/p" "$full" | sed '1d;$d'
}

case $1 in
  routes)
    type=route.v3.RouteConfiguration
    content=$(between route_config http_filters | sed 's/^ \{14\}//')
    resources="  - \"@type\": type.googleapis.com/envoy.config.$type
    name: routes
$content"
    sed "/^ *route_config:\$/,/^ *http_filters:\$/{
      s|route_config:|rds: { route_config_name: routes, config_source: $source }|p
      /http_filters:/p
      d
    }" "$full" >/tmp/envoy.yaml
    ;;
  listeners)
    type=listener.v3.Listener
    resources=$(between listeners clusters | sed "s/^  //; s|^  - name:|  - \"@type\": type.googleapis.com/envoy.config.$type\n    name:|")
    {
      sed '/^  listeners:$/,/^  clusters:$/{/clusters:/!d}' "$full"
      echo "dynamic_resources: { lds_config: $source }"
    } >/tmp/envoy.yaml
    ;;
esac
# xDS wants a name.
echo "node: { id: proxy, cluster: proxy }" >>/tmp/envoy.yaml
printf 'resources:\n%s\n' "$resources" |
  sed "s/{ environment_variable: GENERATION }/{ inline_string: \"$number\" }/" >"$file.next"
mv "$file.next" "$file"
