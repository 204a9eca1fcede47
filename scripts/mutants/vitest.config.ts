import process from 'node:process';
import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.ts';
import type { Slice } from './slices.ts';

// main.ts sets it: a slice, or the part of one that has changed.
const slice: Partial<Slice> = JSON.parse(process.env['MUTANTS_SLICE'] ?? '{}');
const { expect, globalSetup, setupFiles = [] } = project.test ?? {};

// The tests of a slice, without the database and the setup of the project's own configuration unless it needs them.
export default defineConfig({
  ...(project.resolve && { resolve: project.resolve }),
  test: {
    include: [...(slice.tests ?? [])],
    // constant-time.test.ts counts calls in the sources, to which Stryker adds its mutants.
    exclude: ['**/*.slow.test.ts', 'test/core/constant-time.test.ts'],
    restoreMocks: true,
    ...(expect?.poll && { expect: { poll: expect.poll } }),
    ...(slice.hasDatabase && {
      globalSetup,
      setupFiles: [setupFiles, 'scripts/mutants/unused-databases.ts'].flat(),
      isolate: false,
      testTimeout: 300_000,
      hookTimeout: 300_000,
    }),
  },
});
