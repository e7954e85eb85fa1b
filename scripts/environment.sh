# Sourced by the other scripts: the tools and the device of this machine.

# A toolkit in its usual place is used even where it is not on PATH.
if ! command -v nvcc > /dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  export PATH="$PATH:/usr/local/cuda/bin"
fi

jobs=$(nproc)

has_nvcc() { command -v nvcc > /dev/null; }

has_device() { command -v nvidia-smi > /dev/null && nvidia-smi -L 2> /dev/null | grep -q GPU; }

# phase NAME COMMAND...: runs a command, and says what it is and how long it took.
phase() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || status=$?
  printf '== %s: %s after %d s\n' "$name" "$([ $status = 0 ] && echo done || echo "FAILED ($status)")" $((SECONDS - start))
  return $status
}

# quietly LOG COMMAND...: keeps the output in a file and shows it only on failure.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" > "$log" 2>&1 || {
    local status=$?
    tail -n 60 "$log"
    return $status
  }
}
