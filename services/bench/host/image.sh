# Sourced by ./bench: makes sure that the image of the command line is built, and built from what is here now.
# Uses fail and say of ./bench, debian_mirror and apt_install of engine.sh.

base_image=ws-proxy-bench/base:trixie
local_node_image=ws-proxy-bench/node:24

# ensure_image NAME DOCKERFILE CONTEXT
ensure_image() {
  inputs=$(find services/bench services/*/package-lock.json proxies/*/package-lock.json dashboards/package-lock.json \
    -name node_modules -prune -o -type f -exec cksum {} + | LC_ALL=C sort | cksum)
  if [ "$(docker image inspect --format '{{index .Config.Labels "ws-proxy-bench.inputs"}}' "$1" 2>/dev/null)" = "$inputs" ]; then
    return
  fi
  find_node_image
  say "building $1"
  log=$(mktemp)
  DOCKER_BUILDKIT=1 docker build --progress plain --build-arg "NODE_IMAGE=$node_image" --label "ws-proxy-bench.inputs=$inputs" \
    --tag "$1" --file "$2" "$3" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "could not build $1; the whole log is in $log"
  }
  rm -f "$log"
}

# Sets node_image: the official image, pulled, where its registry answers; else a local build.
find_node_image() {
  config=$(docker compose --file compose.yaml config --format json 2>&1) || fail "Compose refuses compose.yaml: $config" \
    "A service that two files define: change its name in the copy under proxies/. Anything else: correct the file."
  node_image=$(printf '%s' "$config" | sed -n 's/.*"NODE_IMAGE": *"\([^"]*\)".*/\1/p' | head -n 1)
  if docker image inspect "$node_image" >/dev/null 2>&1; then
    return
  fi
  if ! docker image inspect "$local_node_image" >/dev/null 2>&1; then
    if pull "$node_image"; then
      return
    fi
    build_node_image
  fi
  node_image=$local_node_image
}

# Pulls an image, but gives up when the registry has not answered within 15 s.
pull() {
  say "pulling $1"
  log=$(mktemp)
  docker pull "$1" >"$log" 2>&1 &
  puller=$!
  waited=0
  while kill -0 "$puller" 2>/dev/null; do
    # The first line of output is the registry's answer; the download that follows may take its time.
    if [ "$waited" -ge 150 ] && ! grep -q 'Pulling from' "$log"; then
      kill "$puller" 2>/dev/null
      echo "no answer within 15 s" >>"$log"
    fi
    waited=$((waited + 1))
    sleep 0.1
  done
  if wait "$puller"; then
    rm -f "$log"
    return 0
  fi
  say "$(tail -n 1 "$log")"
  case $(cat "$log") in
    *"manifest unknown"* | *"pull access denied"*)
      fail "the registry answers, but has no $1." "Correct the tag in .env, or IMAGE_REGISTRY."
      ;;
  esac
  rm -f "$log"
  return 1
}

build_node_image() {
  say "no registry answers: building every image here (offline/); this takes some minutes"
  if ! docker image inspect "$base_image" >/dev/null 2>&1; then
    if ! command -v mmdebstrap >/dev/null; then
      may_install || fail "mmdebstrap is not installed; building images without a registry needs it." \
        "Install it (Debian, Ubuntu: sudo apt-get install mmdebstrap debian-archive-keyring) and run this again."
      apt_install mmdebstrap debian-archive-keyring
    fi
    say "making $base_image"
    offline/base.sh "$base_image" "$(debian_mirror)" || fail "could not make $base_image; see above."
  fi
  say "building $local_node_image"
  log=$(mktemp)
  docker compose --project-name ws-proxy-bench-offline --file offline/compose.yaml --env-file .env --progress plain build node >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "could not build $local_node_image; the whole log is in $log"
  }
  rm -f "$log"
}
