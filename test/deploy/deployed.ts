import { settings } from '../../src/config.ts';

/**
 * How long an API process may take to stop in production: SHUTDOWN_DELAY_SECONDS and SHUTDOWN_SECONDS, as they are
 * without a setting.
 */
export const stopSeconds = 5 + settings.parse({}).SHUTDOWN_SECONDS;

/** The settings in `names` that the service does not read. */
export const unknownSettings = (names: Iterable<string>): string[] =>
  // The last three are read by Node, by glibc and by PostgreSQL's image.
  [...names].filter(
    (name) => !(name in settings.shape || ['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'POSTGRES_PASSWORD'].includes(name)),
  );

const mebibytes: Record<string, number> = { m: 1, mi: 1, g: 1_024, gi: 1_024 };

/** A limit like `1536m`, `1G` or `1Gi`, in MiB. */
const asMebibytes = (limit: string): number => {
  const [, number = '', unit = ''] = /^(\d+)(\w+)$/.exec(limit) ?? [];
  return Number(number) * (mebibytes[unit.toLowerCase()] ?? NaN);
};

/**
 * The memory of a process beyond its heap, in MiB: buffers, code, stacks and, in an API, the memory of password hashes.
 */
export const besidesHeap = ({ nodeOptions, limit }: { nodeOptions: unknown; limit: unknown }): number => {
  const [, heap = ''] = /--max-old-space-size=(\d+)$/.exec(String(nodeOptions)) ?? [];
  return asMebibytes(String(limit)) - Number(heap);
};
