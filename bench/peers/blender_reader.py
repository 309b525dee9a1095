"""Reads a take by Blender's importer, in Blender. Prints the seconds; with a
second argument writes the places of all joints: frames x joints x 3 floats."""

import sys
import time

import bpy
import numpy as np

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
        places += [(rig.matrix_world @ bone.head)[:] for bone in rig.pose.bones]
    np.float32(places).tofile(out[0])
