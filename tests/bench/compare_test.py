"""bench/compare as a table: two runs, what it ends with, what it names.

  compare_test.py COMPARE
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# (metric, old, new, flags, status)
CASES = [
    # A loss of 7 %, and of 2 %.
    ("read.cmu.best.ratio_to_fast_float", [8.5, 8.4, 8.6], [7.9, 7.8, 8.0], [], 1),
    ("read.cmu.best.ratio_to_fast_float", [8.5, 8.4, 8.6], [8.33, 8.3, 8.36], [], 0),
    ("read.cmu.best.ratio_to_fast_float", [8.5, 8.4, 8.6], [8.33, 8.3, 8.36],
     ["--percent", "1"], 1),
    # The quartiles overlap.
    ("read.cmu.best.ratio_to_fast_float", [8.5, 7.0, 8.6], [7.9, 7.8, 8.0], [], 0),
    # A gain.
    ("read.cmu.threads2.speedup", [1.8, 1.7, 1.9], [2.0, 1.95, 2.05], [], 0),
    # Less is better.
    ("server.overload.p99_ratio", [1.1, 1.0, 1.2], [1.5, 1.4, 1.6], [], 1),
    ("server.overload.p99_ratio", [1.5, 1.4, 1.6], [1.1, 1.0, 1.2], [], 0),
    ("encode.anim.best.bytes_ratio_at_viewer_error", 0.3, 0.4, [], 1),
    # Rates depend on the machine.
    ("read.cmu.best.mb_per_s", [4000, 3900, 4100], [3000, 2900, 3100], [], 0),
    ("read.cmu.best.mb_per_s", [4000, 3900, 4100], [3000, 2900, 3100],
     ["--absolute"], 1),
    ("page.open_ms", 40, 60, ["--absolute"], 1),
    ("page.open_ms", 60, 40, ["--absolute"], 0),
]


def main():
    compare = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("old.json", "new.json")]

        def run(flags):
            return subprocess.run([compare, *map(str, files), *flags],
                                  capture_output=True, text=True, check=False)

        for metric, old, new, flags, status in CASES:
            for file, value in zip(files, (old, new)):
                file.write_text(json.dumps({"metrics": {metric: value}}))
            result = run(flags)
            if result.returncode != status or metric not in result.stdout:
                print(f"{metric} {old} {new} {flags}: status "
                      f"{result.returncode}, not {status}\n{result.stderr}")
                failed += 1
        for text in ("", "{}", '{"metrics": {"other": 1}}'):
            files[0].write_text(text)
            if run([]).returncode != 2:
                print(f"{text!r} is taken for a run")
                failed += 1
    sys.exit(failed > 0)


main()
