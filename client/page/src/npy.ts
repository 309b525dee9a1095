// A tensor as .npy, version 1.0.

export function npyOf(data: Float32Array, shape: number[]): Blob {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const head =
      `{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes}), }`;
  // The data begin at a multiple of 64 bytes.
  const size = Math.ceil((10 + head.length + 1) / 64) * 64 - 10;
  const text = `${head.padEnd(size - 1)}\n`;
  const magic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0,
                              size & 255, size >> 8);
  return new Blob([magic, text, data as Float32Array<ArrayBuffer>]);
}
