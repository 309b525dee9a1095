"""Names of the avatar's joints, as the viewer knows them."""

SIDES = ("Left", "Right")


def both_sides(*names):
    return [name + side for name in names for side in SIDES]


def numbered(name, count):
    return [f"{name}{i}" for i in range(1, count + 1)]


FACE = (
    "EyeAlt EyebrowOuter EyebrowCenter EyebrowInner EyeLidUpper EyeLidLower "
    "EyecornerInner Ear1 Ear2 Nose CheekLower CheekUpper LipUpper LipLower "
    "LipCorner Forehead"
).split()
FACE_MIDDLE = (
    "Root ForeheadCenter NoseBase NoseBridge NoseCenter Jaw JawShaper Chin "
    "TeethUpper TeethLower LipUpperCenter LipLowerCenter TongueBase TongueTip"
).split()
FINGERS = "Index Middle Ring Pinky Thumb".split()

BONES = (
    "mPelvis mTorso mChest mNeck mHead mSkull mGroin mWingsRoot mHindLimbsRoot"
).split()
BONES += numbered("mSpine", 4) + numbered("mTail", 6)
BONES += both_sides(
    "mEye", "mCollar", "mShoulder", "mElbow", "mWrist", "mHip", "mKnee",
    "mAnkle", "mFoot", "mToe", "mWing4Fan",
    *numbered("mWing", 4), *numbered("mHindLimb", 4),
    *(f"mHand{finger}{i}" for finger in FINGERS for i in (1, 2, 3)),
    *("mFace" + part for part in FACE),
)
BONES += ["mFace" + part for part in FACE_MIDDLE]
assert len(BONES) == len(set(BONES)) == 133

SHORT = {
    "hip": "mPelvis", "abdomen": "mTorso", "chest": "mChest", "neck": "mNeck",
    "head": "mHead", "figureHair": "mSkull",
}
for short, bone in (
    ("Collar", "mCollar"), ("Shldr", "mShoulder"), ("ForeArm", "mElbow"),
    ("Hand", "mWrist"), ("Thigh", "mHip"), ("Shin", "mKnee"),
    ("Foot", "mAnkle"),
):
    for side in SIDES:
        SHORT[side[0].lower() + short] = bone + side

# Attachment points with blanks in their names.
ATTACHMENTS = (
    [f"{side} {part}" for side in SIDES for part in (
        "Ear", "Eyeball", "Foot", "Hand", "Hind Foot", "Hip", "Pec",
        "Ring Finger", "Shoulder", "Wing")]
    + [f"{side} {part}" for side in "LR" for part in (
        "Forearm", "Lower Leg", "Upper Arm", "Upper Leg")]
    + [f"Alt {side} {part}" for side in SIDES for part in ("Ear", "Eye")]
    + ["Avatar Center", "Tail Base", "Tail Tip"]
    + ["Bottom Left", "Bottom Right", "Top Left", "Top Right", "Center 2"]
)

ALIASES = {name: name for name in BONES}
ALIASES.update(("avatar_" + name, name) for name in BONES)
ALIASES.update(SHORT)
ALIASES.update((name.replace(" ", "_"), name) for name in ATTACHMENTS)
assert len(ALIASES) == 326
