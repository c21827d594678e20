#!/usr/bin/env bash
# Runs a long command as one step: its output goes to build/logs/NAME.log, and stderr shows one line with what it is doing and
# for how long; of steps that run at once, each has a line of its own. Where stderr is no terminal, that is a line at the start, one each minute, and one at the end. When the command
# fails, the end of the log follows, and the exit status is the command's. What succeeds within a second is not mentioned.
# build/logs/steps.tsv gains a line of each: name, seconds it took, seconds of processor time.
#
# Usage: hack/step.sh NAME DESCRIPTION COMMAND...
set -uo pipefail

(($# >= 3)) || { echo "usage: hack/step.sh NAME DESCRIPTION COMMAND..." >&2; exit 2; }
name="$1" log="build/logs/$1.log" description="$2"
shift 2
root="$(cd "$(dirname "$0")/.." && pwd)"
mkdir -p "$root/build/logs" && : >"$root/$log" || exit 1

elapsed() {
  if ((SECONDS < 60)); then echo "$SECONDS s"; else echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"; fi
}

# The last line of the output, without what moves a cursor.
doing() { tail -c 2000 "$root/$log" | tr '\r' '\n' | tr -cd '\n\40-\176' | sed 's/^ *//' | grep . | tail -n 1; }

# The lines of all steps on this terminal are one block, which each of them paints anew, one at a time: up to its first line, erase to the
# end of the screen, and write. A file for each step has its line; one has how many lines were painted.
erase_block() {
  local painted=0
  [[ ! -s "$block/painted" ]] || read -r painted <"$block/painted"
  ((painted < 2)) || printf '\e[%dA' "$((painted - 1))" >&2
  printf '\r\e[J' >&2
}

paint_block() {
  local file columns line painted=0
  read -r _ columns < <(stty size <&2 2>/dev/null)
  ((columns > 0)) || columns=80
  for file in "$block"/step-*; do
    [[ -e "$file" ]] || continue
    if ! kill -0 "${file##*-}" 2>/dev/null; then rm -f "$file"; continue; fi
    line="$(<"$file")"
    ((painted == 0)) || printf '\n' >&2
    printf '%s' "${line:0:columns-1}" >&2
    painted=$((painted + 1))
  done
  echo "$painted" >"$block/painted"
}

# Sleeps are short, because the last one outlives this script.
tell_terminal() {
  while sleep 1; do
    echo "$description, $(elapsed): $(doing)" >"$block/step-$$"
    { flock 8; erase_block; paint_block; } 8>>"$block/lock"
  done
}

# Ends this step's line with what it has to say, above the lines of the others.
tell_end() {
  if [[ -z $block ]]; then
    [[ -z $* ]] || echo "$*" >&2
    return
  fi
  rm -f "$block/step-$$"
  { flock 8; erase_block; [[ -z $* ]] || echo "$*" >&2; paint_block; } 8>>"$block/lock"
}

tell_file() {
  local seconds
  sleep 1
  echo "$description (log: $log)" >&2
  for ((seconds = 2; ; seconds++)); do
    sleep 1
    ((seconds % 60)) || echo "$description, $(elapsed): $(doing)" >&2
  done
}

block='' started=$EPOCHREALTIME
if [[ -t 2 ]]; then
  terminal="$(readlink /proc/$$/fd/2)"
  block="$root/build/logs/.terminal${terminal//\//-}"
  mkdir -p "$block"
  tell_terminal &
else
  tell_file &
fi
teller=$!
trap 'kill "$teller" 2>/dev/null; wait "$teller" 2>/dev/null; tell_end' EXIT
# In the foreground, so that an interrupt from the keyboard ends it.
"$@" >"$root/$log" 2>&1
code=$?
kill "$teller" 2>/dev/null
wait "$teller" 2>/dev/null
trap - EXIT

# Of its children, as minutes and seconds: "1m2.345s 0m1.234s". A pipe would make it those of another shell, which has none.
times >"$root/$log.times"
awk -v name="$name" -v wall="$(((${EPOCHREALTIME/[.,]/} - ${started/[.,]/}) / 1000000))" '
  NR == 2 {for (i = 1; i <= 2; i++) {split($i, part, "[ms]"); processor += 60 * part[1] + part[2]}
    printf "%s\t%d\t%.0f\n", name, wall, processor}' "$root/$log.times" >>"$root/build/logs/steps.tsv"
rm -f "$root/$log.times"

if ((code != 0)); then
  tell_end "$description: failed with exit status $code after $(elapsed); the end of $log:
$(tail -n 40 "$root/$log" | sed 's/^/  /')"
elif ((${EPOCHREALTIME/[.,]/} - ${started/[.,]/} > 1000000)); then
  tell_end "$description: $(elapsed)"
else
  tell_end
fi
exit "$code"
