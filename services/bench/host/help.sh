# Sourced by ./bench: the help of every command, which needs neither Docker nor Node.
# The texts are generated from the command line's own definition (services/bench/help/generate.ts); a command is one that has a text.

help_texts=services/bench/help

# show_help COMMAND
show_help() {
  cat "$help_texts/$1.txt"
}

# Whether one of the words asks for help.
asks_for_help() {
  for word in "$@"; do
    case $word in -h | --help) return 0 ;; esac
  done
  return 1
}

# ensure_command NAME: ends with status 2 where there is no such command.
ensure_command() {
  case $1 in
    */* | '') ;;
    *) [ ! -e "$help_texts/$1.txt" ] || return 0 ;;
  esac
  nearest=$(nearest_command "$1")
  printf 'bench: unknown command: %s\n' "$1" >&2
  printf '       %s./bench help lists the commands.\n' "${nearest:+Did you mean $nearest? }" >&2
  exit 2
}

# nearest_command NAME: prints the command with the least edit distance; nothing when none is near, as commander judges it for
# options: at most 3 edits, and more than 40 % of the longer word in common.
nearest_command() {
  for text in "$help_texts"/*.txt; do
    name=${text##*/}
    printf '%s\n' "${name%.txt}"
  done | typed=$1 awk '
    function min(a, b) { return a < b ? a : b }
    function distance(a, b,    i, j, row, above, left) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        above = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
          left = row[j]
          row[j] = min(min(row[j], row[j - 1]) + 1, above + (substr(a, i, 1) != substr(b, j, 1)))
          above = left
        }
      }
      return row[length(b)]
    }
    BEGIN { typed = ENVIRON["typed"]; least = 4 }
    {
      edits = distance(typed, $0)
      longest = length(typed) > length($0) ? length(typed) : length($0)
      if (edits < least && longest - edits > 0.4 * longest) { least = edits; nearest = $0 }
    }
    END { print nearest }'
}
