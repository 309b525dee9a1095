#!/usr/bin/env bash
# Runs the tests of one language, or those of the pages that a newcomer follows,
# against the programs in BIN.
#
#   run.sh python|node|glb|readme|schema|sarif|page|one_page BIN WORK
#
# one_page opens the page of reports once. WORK/clients/node and WORK/clients/page hold the packages of Node.
set -euo pipefail

language=$1
export BVHMILL_BIN=$2
work=$3/clients
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

python=/usr/bin/python3

skip() {
  echo "SKIPPED: $*"
  exit 77
}

need_python() {
  "$python" -c 'import grpc, numpy, google.protobuf' 2>/dev/null \
    || skip "no python3-grpcio, python3-protobuf or python3-numpy"
  [ -x /usr/bin/grpc_python_plugin ] || skip "no protobuf-compiler-grpc"
  export PYTHONDONTWRITEBYTECODE=1
}

run_python() {
  local test
  need_python
  export PYTHONPATH=$work/python
  mkdir -p "$work/python/bvhmill"
  touch "$work/python/bvhmill/__init__.py"
  protoc -I "$here/../../proto" --python_out="$work/python" \
    --grpc_out="$work/python" \
    --plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin \
    "$here"/../../proto/bvhmill/v1/*.proto
  for test in "$here"/python/*_test.py; do "$python" "$test"; done
}

run_readme() {
  need_python
  export PYTHONPATH=$here/python
  "$python" "$here/readme/steps_test.py"
  "$python" "$here/readme/follow.py" "$work/node/node_modules" \
    README.md docs/command-line.md docs/examples/README.md docs/http.md \
    docs/validate.md
}

run_schema() {
  "$python" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
  export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/python
  "$python" "$here/schema/schema_test.py"
  "$python" "$here/schema/junit_test.py"
}

# The schema of SARIF is in a package of npm.
run_sarif() {
  "$python" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
  local folder=$work/node/node_modules/@microsoft/jest-sarif/lib/schemas
  [ -d "$folder" ] || skip "no packages of npm in $work/node"
  export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/python
  "$python" "$here/schema/sarif_test.py" "$folder"
}

run_node() {
  export NODE_PATH=$work/node/node_modules
  [ -d "$NODE_PATH/nice-grpc" ] || skip "no packages of npm in $work/node"
  node --test "$here"/node/*.test.js
}

run_glb() {
  export NODE_PATH=$work/node/node_modules
  [ -d "$NODE_PATH/gltf-validator" ] || skip "no packages of npm in $work/node"
  node --test "$here"/glb/*.test.js
}

run_page() {
  need_browser
  node --test "$here"/page/*.test.js
}

run_one_page() {
  need_browser
  node --test --test-name-pattern "shows what validate" "$here/page/page.test.js"
}

need_browser() {
  export NODE_PATH=$work/page/node_modules
  [ -d "$NODE_PATH/playwright-core" ] || skip "no packages of npm in $work/page"
  [ -x /usr/bin/chromium ] || skip "no chromium"
}

"run_$language"
