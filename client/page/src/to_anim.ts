// A clip as .anim, and the joints of the avatar that its joints move.

import type { Engine, Options } from 'bvhmill';

export function toAnim(engine: Engine, bytes: Uint8Array,
                       options: Options): Uint8Array {
  const { status, outputs } =
      engine.convert(bytes, { ...options, emit: ['anim'] });
  const anim = outputs.anim;
  if (status.code !== 'OK' || !(anim?.data instanceof Uint8Array)) {
    throw new Error(anim?.status.message || status.message);
  }
  return anim.data;
}

// The name of each joint in the skeleton of the avatar, if the names belong to
// a known scheme; else its own name.
export function jointsOfAnim(engine: Engine, bytes: Uint8Array): string[] {
  for (const options of [{ names_to: 'second_life' }, {}]) {
    const { status, info } = engine.validate(bytes, options);
    if (status.code === 'OK') return info.joints.map(({ name }) => name);
  }
  return [];
}
