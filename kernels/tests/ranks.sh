# What the tests of programs with several processes share; sourced. Ends with exit code 77 when there is no mpirun.
# shellcheck shell=bash
failures=0
checks=()
command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
# Ranks that wait leave the cores to others: a machine may have fewer of them.
# shellcheck disable=SC2034,SC2054  # what sources this uses it; mpirun's list has commas
run=(mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader --mca plm isolated)

check() {
  local name="$1" code="$2" pattern="$3" own output got complaints
  shift 3
  # A folder of its own for each: an mpirun that ends removes the one that all share, also while another sets its session up there.
  own="$(mktemp -d)"
  output="$(TMPDIR="$own" "$@" 2>"$own/stderr")"
  got=$?
  complaints="$(tail -c 2000 "$own/stderr")"
  rm -rf "$own"
  if [[ $got -eq $code && $(wc -l <<<"$output") -eq 1 ]] && grep -Eq "$pattern" <<<"$output"; then
    echo "ok   $name"
  else
    echo "FAIL $name: exit code $got, wanted $code and one line with /$pattern/ in: ${output:0:2000}; stderr ends: $complaints"
    return 1
  fi
}

# expect NAME EXIT-CODE PATTERN COMMAND...: the command ends with that code, and its stdout is one line that matches.
# A start and an end of mpirun are a second of waiting, and no speed is checked here: a few run at a time.
at_once=4
expect() {
  while (($(jobs -pr | wc -l) >= at_once)); do wait -n; done
  check "$@" &
  checks+=($!)
}

# stopped_by SIGNAL WORDS COMMAND...: what the command prints when it gets the signal as soon as its stderr has these words.
# mpirun kills a rank one second after the signal. A loaded machine can need that long to run it again: here it has three for its document.
stopped_by() {
  local signal="$1" words="$2" log process code
  shift 2
  log="$(mktemp)"
  OMPI_MCA_odls_base_sigkill_timeout=3 "$@" 2>"$log" &
  process=$!
  until grep -q "$words" "$log" || ! kill -0 "$process" 2>/dev/null; do sleep 0.1; done
  kill -s "$signal" "$process" 2>/dev/null
  wait "$process"
  code=$?
  rm "$log"
  return "$code"
}

# finish waits for all, and exits.
finish() {
  local one
  for one in "${checks[@]}"; do wait "$one" || failures=$((failures + 1)); done
  exit $((failures > 0))
}
