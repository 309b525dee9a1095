#!/usr/bin/env python3
"""Writes the files motion_*.bvh of tests/data/cases: one clip for each motion
rule, with one fault at a known frame.

    tests/data/motion_cases.py tests/data/cases

A clip is a figure of four joints that moves by sines. EXPECTED.tsv says what is
found in each.
"""

import math
import pathlib
import sys

HIERARCHY = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Arm
    {
      OFFSET 15 0 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT Hand
      {
        OFFSET 25 0 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 8 0 0
        }
      }
    }
  }
}
"""
WIDTH = 15
CHEST, ARM, HAND = 6, 9, 12


def value(column, seconds):
    """Channel `column` at a time."""
    size = 2 if column < 3 else 12
    total = 40 if column == 1 else 0
    for k in (1, 2):
        hertz = 0.31 * k + 0.07 * column
        total += size / k * math.sin(
            2 * math.pi * hertz * seconds + 1.7 * column + k)
    return total


def clip(frames=90, rate=30, tempo=1):
    return [[value(c, tempo * t / rate) for c in range(WIDTH)]
            for t in range(frames)]


def add(rows, column, amount, first, last):
    for row in rows[first:last + 1]:
        row[column] += amount


def held(rows, first, count):
    """Frame `first` is held for `count` more frames; the rest comes later."""
    return (rows[:first + 1] + [list(rows[first]) for _ in range(count)] +
            rows[first + 1:])[:len(rows)]


def frozen_clip():
    return [list(clip()[7]) for _ in range(20)]


def frozen_frames():
    return held(clip(), 30, 12)


def repeated_frames():
    return [list(row) for row in clip(45) for _ in range(2)]


def interpolated():
    keys = clip(31)
    rows = []
    for a, b in zip(keys, keys[1:]):
        rows += [[x + k / 3 * (y - x) for x, y in zip(a, b)] for k in range(3)]
    return rows


def spike():
    rows = clip()
    add(rows, ARM, 70, 40, 40)
    return rows


def jump():
    rows = clip()
    add(rows, HAND, 90, 40, 89)
    return rows


def spin():
    rows = clip()
    for k in range(1, 8):
        add(rows, HAND + 2, 360 / 3 * min(k, 6), 39 + k, 39 + k)
    add(rows, HAND + 2, 720, 47, 89)
    return rows


def cut():
    return clip()[:45] + clip(180)[130:175]


def first_frame_apart():
    rows = clip()
    rows[0] = [0, 40] + [0] * 13
    add(rows, ARM, 60, 0, 0)
    add(rows, HAND, 60, 0, 0)
    add(rows, CHEST, 60, 0, 0)
    return rows


def last_frame_apart():
    rows = clip()
    add(rows, ARM + 1, 95, 89, 89)
    return rows


def jitter():
    rows = clip(tempo=0.5)
    for t in range(8, 80, 2):
        add(rows, CHEST, 4, t, t)
    return rows


def frozen_joint():
    rows = clip()
    hand = [list(row[HAND:]) for row in rows]
    for t in range(30, 90):
        rows[t][HAND:] = hand[30] if t < 55 else hand[t - 24]
    return rows


def tempo_odd():
    return clip(tempo=0.1)


def euler_flip():
    rows = clip()
    for row in rows[40:60]:
        row[ARM] += 180
        row[ARM + 1] = 180 - row[ARM + 1]
        row[ARM + 2] += 180
    return rows


def gimbal_near():
    rows = clip()
    for t, row in enumerate(rows):
        swing = 150 * math.sin(t / 6)
        row[ARM:ARM + 3] = [swing, 89.6 + 0.2 * math.sin(t / 5), -swing]
    return rows


def quantized():
    return [row[:3] + [round(v, 1) for v in row[3:]] for row in clip()]


def radians():
    return [row[:3] + [4 * math.radians(v) for v in row[3:]] for row in clip()]


def rows_exchanged():
    rows = clip(rate=60)
    rows[40], rows[41] = rows[41], rows[40]
    return rows


CASES = [frozen_clip, frozen_frames, repeated_frames, interpolated, spike, jump,
         spin, cut, first_frame_apart, last_frame_apart, jitter, frozen_joint,
         tempo_odd, euler_flip, gimbal_near, quantized, radians,
         rows_exchanged, clip]


def text(rows, frame_time="0.0333333"):
    lines = [" ".join(f"{v:.3f}" for v in row) for row in rows]
    return (HIERARCHY + f"MOTION\nFrames: {len(rows)}\n"
            f"Frame Time: {frame_time}\n" + "\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    for case in CASES:
        name = "ok" if case is clip else case.__name__
        (folder / f"motion_{name}.bvh").write_text(text(case()))
    (folder / "motion_frame_time_odd.bvh").write_text(text(clip(20), "1.0"))


if __name__ == "__main__":
    main()
