export * from './bvhmill.cjs';
