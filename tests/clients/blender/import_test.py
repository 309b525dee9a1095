"""Blender imports .glb files: its bones are where the arrays have the joints.

Blender runs it:

  blender --background --factory-startup --python-exit-code 1 \
    --python import_test.py

BVHMILL_BIN is the folder of bvhmill and bvhmill_samples.
"""

import os
import pathlib
import subprocess
import tempfile

import bpy
import numpy as np

BIN = pathlib.Path(os.environ["BVHMILL_BIN"])
# Blender has Z up, and the files have Y up.
AXES = [0, 2, 1]
SIGNS = [1, 1, -1]
# In metres.
TOLERANCE = 1e-4
CENTIMETRES = 100


def convert(path, folder, *flags):
    """The .glb, the names of the joints, the positions in metres, and the frame
    time."""
    subprocess.run(
        [BIN / "bvhmill", "convert", path, "-o", folder, "--local", "--emit",
         "npz,glb", "--units", "cm", "--up", "y", "--glb-tolerance-degrees",
         "0", "--glb-tolerance-percent", "0", *flags],
        check=True, capture_output=True)
    with np.load(folder / f"{path.stem}.npz") as archive:
        return (folder / f"{path.stem}.glb", archive["names"].tolist(),
                archive["positions"] / CENTIMETRES,
                float(archive["frame_time"]))


def import_glb(path):
    """The objects that Blender makes of a file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path))
    return list(bpy.data.objects)


def heads_at(armature, seconds):
    """The heads of the bones in the world, with the axes of the file."""
    scene = bpy.context.scene
    at = seconds * scene.render.fps
    scene.frame_set(int(at), subframe=at - int(at))
    heads = [armature.matrix_world @ bone.head for bone in armature.pose.bones]
    return np.array(heads)[:, AXES] * SIGNS


def check(path, folder, *flags):
    """Compares frames of a take, and prints the largest distance."""
    glb, names, positions, frame_time = convert(path, folder, *flags)
    objects = import_glb(glb)
    kinds = [found.type for found in objects]
    assert kinds == ["ARMATURE"], f"{path.stem}: {kinds}, not an armature"
    bones = [bone.name for bone in objects[0].pose.bones]
    assert bones == names, f"{path.stem}: {bones}, not {names}"
    frames = len(positions)
    worst = 0.0
    for frame in sorted({0, frames // 3, frames // 2, frames - 1}):
        heads = heads_at(objects[0], frame * frame_time)
        far = np.linalg.norm(heads - positions[frame], axis=1)
        worst = max(worst, far.max())
    print(f"{path.stem}: {len(bones)} bones of {frames} frames, within "
          f"{worst:.1e} m")
    assert worst < TOLERANCE, f"{path.stem}: {worst} m away"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        takes = folder / "takes"
        subprocess.run([BIN / "bvhmill_samples", takes], check=True,
                       stdout=subprocess.DEVNULL)
        paths = sorted(takes.glob("*.bvh"))
        assert paths
        for path in paths:
            check(path, folder / path.stem)
        check(takes / "walk_cycle.bvh", folder / "ends", "--end-sites")


main()
