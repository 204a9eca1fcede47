import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faults } from '../../scripts/planted/faults.ts';
import { planted } from '../../scripts/planted/planted.ts';

const root = join(import.meta.dirname, '../..');

describe('the planted faults', () => {
  it('are at least 30, each with a name of its own', () => {
    expect(faults.length).toBeGreaterThanOrEqual(30);
    expect(faults.filter(({ models }) => models).length).toBeGreaterThanOrEqual(30);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });

  it.each(faults)('$name fits the code, and its tests exist', (fault) => {
    const text = readFileSync(join(root, fault.file), 'utf8');
    expect(planted(fault, text)).not.toBe(text);
    const models = (fault.models ?? []).map((model) => `test/models/${model}.test.ts`);
    for (const test of [...fault.tests, ...models]) expect(existsSync(join(root, test)), test).toBe(true);
  });

  it.each(['', 'twice, twice'])('that no longer fits the code is refused', (text) => {
    const fault = { name: 'a fault', what: 'Nothing.', file: 'a file', find: 'twice', put: 'once', tests: [] };
    expect(() => planted(fault, text)).toThrow('a fault: a file has its text');
  });
});
