import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { slices } from './slices.ts';

// The tests of a slice, without the database and the setup of vitest.config.ts.
export default defineConfig({
  test: { include: [...(slices[process.env['MUTANTS_SLICE'] ?? '']?.tests ?? [])], restoreMocks: true },
});
