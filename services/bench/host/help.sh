# Sourced by ./bench: the version and the help of every command, which need neither Docker nor Node.
# The texts are generated from the command line's own definition (services/bench/help/generate.ts); a command is one that has a text.

help_texts=services/bench/help

# show_help COMMAND
show_help() {
  cat "$help_texts/$1.txt"
}

show_version() {
  sed -n 's/^  "version": "\(.*\)".*/\1/p' services/bench/package.json
}

# Whether one of the words asks for help.
asks_for_help() {
  for word in "$@"; do
    case $word in -h | --help) return 0 ;; esac
  done
  return 1
}
