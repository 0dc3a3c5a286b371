# Sourced by ./bench: `try` names files where the caller stands, which are mounted for it, and git revisions: the container has no git.
# Uses caller_dir and project_dir of ./bench.

# caller_path WORD: that path from the caller's folder.
caller_path() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$caller_dir/$1" ;;
  esac
}

# tried_folders WORD…: the folders of those words that are files or folders outside of the project, a line each.
tried_folders() {
  for word in "$@"; do
    path=$(caller_path "${word#--against=}")
    if [ -d "$path" ]; then
      (cd "$path" && pwd)
    elif [ -f "$path" ]; then
      (cd "$(dirname "$path")" && pwd)
    fi
  done | sort -u | while IFS= read -r folder; do
    case $folder/ in "$project_dir"/*) ;; *) printf '%s\n' "$folder" ;; esac
  done
}

# tried_revision WORD…: where --against names a git revision, the configuration's folder at that revision is put into .bench/against,
# and the configuration's path there is printed.
tried_revision() {
  revision=
  config=
  previous=
  shift 2 2>/dev/null || return 0
  for word in "$@"; do
    case $word in
      --against=*) revision=${word#--against=} ;;
      -*) ;;
      *)
        if [ "$previous" = --against ]; then
          revision=$word
        elif [ -z "$config" ] && [ -e "$(caller_path "$word")" ]; then
          config=$(caller_path "$word")
        fi
        ;;
    esac
    previous=$word
  done
  if [ -z "$revision" ] || [ -z "$config" ] || [ -e "$(caller_path "$revision")" ] || [ -d "$project_dir/proxies/$revision" ]; then
    return 0
  fi
  folder=$config
  [ -d "$folder" ] || folder=$(dirname "$config")
  git -C "$folder" rev-parse --verify --quiet "$revision^{commit}" >/dev/null 2>&1 || return 0
  at=$project_dir/.bench/against
  rm -rf "$at"
  mkdir -p "$at"
  git -C "$folder" archive "$revision" . | tar -x -C "$at" || return 0
  if [ -d "$config" ]; then
    printf '%s\n' "$at"
  else
    printf '%s\n' "$at/$(basename "$config")"
  fi
}
