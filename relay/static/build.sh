#!/bin/sh
# Builds the relay as one static program: sh relay/static/build.sh <output>. CC chooses another compiler, as
# for another architecture. A second argument is another directory of sources, which its tests have.
set -eu
output=$1
source=${2:-$(cd "$(dirname "$0")" && pwd)}

if [ -z "${CC:-}" ]; then
  for candidate in musl-gcc cc gcc clang; do
    if command -v "$candidate" >/dev/null 2>&1; then
      CC=$candidate
      break
    fi
  done
fi
if [ -z "${CC:-}" ]; then
  echo 'no C compiler (musl-gcc, cc, gcc or clang)' >&2
  exit 1
fi

# musl-gcc keeps to its own headers. Those of the kernel are the same for every C library.
kernel_headers=
if [ "$(basename "$CC")" = musl-gcc ]; then
  kernel_headers='-idirafter /usr/include'
  for directory in /usr/include/*-linux-gnu; do
    [ -d "$directory/asm" ] && kernel_headers="$kernel_headers -idirafter $directory"
  done
fi

# Written under another name first: somebody may be running the old one.
unfinished="$output.$$"
trap 'rm -f "$unfinished"' EXIT
# shellcheck disable=SC2086
"$CC" -std=gnu11 -D_GNU_SOURCE -static -Os -Wall -Wextra -Werror -Wshadow -Wvla -Wconversion -Wno-sign-conversion \
  -fstack-protector-strong -ffunction-sections -fdata-sections \
  -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -s \
  $kernel_headers -o "$unfinished" "$source"/*.c
mv -f "$unfinished" "$output"
