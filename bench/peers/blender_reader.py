"""Reads a take by Blender's importer, in Blender. Prints the seconds; with a
second argument writes the places of all joints: frames x joints x 3 floats."""

import builtins
import sys
import time

import bpy
import numpy as np

# The importer of Blender 3.4 opens files in a mode that Python 3.11 refuses.
real_open = builtins.open
builtins.open = lambda path, mode="r", *args, **kwargs: real_open(
    path, mode.replace("U", ""), *args, **kwargs)

take, *out = sys.argv[sys.argv.index("--") + 1:]
begin = time.perf_counter()
bpy.ops.import_anim.bvh(filepath=take, axis_forward="-Z", axis_up="Y",
                        update_scene_fps=False, use_fps_scale=False)
print("seconds", time.perf_counter() - begin)
if out:
    rig = bpy.context.object
    first, last = (int(at) for at in rig.animation_data.action.frame_range)
    places = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        for bone in rig.pose.bones:
            x, y, z = rig.matrix_world @ bone.head  # Z is up.
            places.append((x, z, -y))
    np.float32(places).tofile(out[0])
