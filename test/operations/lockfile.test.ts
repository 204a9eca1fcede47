import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ integrity: z.string().optional(), link: z.boolean().optional() })),
});

// npm leaves hashes out for packages of other platforms if it makes the lockfile from an installation.
it('package-lock.json has a hash for every package of every platform', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8');
  const { '': project, ...packages } = Lockfile.parse(JSON.parse(text)).packages;
  expect(project).toBeDefined();
  const unchecked = Object.entries(packages).filter(
    ([, { integrity, link }]) => !link && !integrity?.startsWith('sha512-'),
  );
  expect(unchecked.map(([name]) => name)).toEqual([]);
});
