#!/usr/bin/env bash
# Builds the library as a shared one, and tests its installation by run.sh.
#
#   shared.sh CMAKE SOURCE BUILD GENERATOR COMPILER CONFIG
set -euo pipefail

cmake=$1
source=$2
build=$3
generator=$4
compiler=$5
config=$6

"$cmake" -S "$source" -B "$build" -G "$generator" -DBUILD_SHARED_LIBS=ON \
  -DBVHMILL_SERVICE=OFF -DBVHMILL_TESTS=OFF -DBVHMILL_BENCH=OFF \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$config"
"$cmake" --build "$build" --config "$config"
[ -e "$build"/lib/libbvhmill.so ]
exec bash "$(dirname "${BASH_SOURCE[0]}")/run.sh" "$cmake" "$build" \
  "$source/tests/install/consumer" "$generator" "$compiler" "$config" ""
