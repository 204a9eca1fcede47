import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  AssignmentStatus,
  DeliveryStatus,
  EndpointStatus,
  Language,
  Role,
  SignInDemand,
} from '../../src/db/generated/enums.ts';
import { keyRight } from '../../src/modules/keys/schema.ts';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { recordedIn } from '../../src/web/pages/audit/entry-changes.ts';
import { dataName, valueName } from '../../src/web/pages/audit/words.ts';
import { filesMatching } from '../support/files-matching.ts';

// What the app shows of an entry of the audit log.

beforeEach(() => setCurrentLanguage('en'));

describe('an entry', () => {
  it.each([
    ['assignment.changed', 'status'],
    ['member.role_changed', 'role'],
    ['member.rights_changed', 'rights'],
    ['sign_in.demand_changed', 'demand'],
    ['sign_in.demand_planned', 'demand'],
    ['team.handed_over', 'owner'],
    ['webhook_endpoint.changed', 'status'],
  ])('of %s has in one line from what to what it has changed the %s', (action, field) => {
    const data = { changed: [field, 'title'], from: 'a', to: 'b', note: 'n' };
    expect(recordedIn({ action, data })).toEqual([
      { field, former: 'a', value: 'b' },
      { field: 'changed', value: ['Title'] },
      { field: 'note', value: 'n' },
    ]);
  });

  it('of each action that records from what to what, is such a line', async () => {
    const actions = new Set<string>();
    for await (const path of filesMatching('src/modules/*/!(public|events|app|schema).ts')) {
      const text = await readFile(path, 'utf8');
      // Both within the data of one entry, which is a few lines long.
      for (const [, action = ''] of text.matchAll(/action: '([\w.]+)',[^;]{0,200}\bfrom\b[^;]{0,60}\bto\b/g))
        actions.add(action);
    }
    expect(actions.size).toBeGreaterThan(3);
    for (const action of actions) {
      const [first] = recordedIn({ action, data: { from: 'a', to: 'b' } });
      expect(first, action).toMatchObject({ former: 'a', value: 'b' });
    }
  });

  it('has the former and the new value of each changed field once, and what was only added', () => {
    const data = {
      before: { name: 'A' },
      after: { name: 'B', icon: 'x' },
      changed: ['name', 'icon', 'headers'],
      key: 'k',
    };
    expect(recordedIn({ action: 'catalog.item_changed', data })).toEqual([
      { field: 'name', former: 'A', value: 'B' },
      { field: 'icon', former: undefined, value: 'x' },
      { field: 'changed', value: ['Headers of your own'] },
      { field: 'key', value: 'k' },
    ]);
    expect(recordedIn({ action: 'key.rotated', data: { to: 'id' } })).toEqual([{ field: 'to', value: 'id' }]);
    expect(recordedIn({ action: 'webhook_delivery.retried', data: { from: 'failed' } })).toEqual([
      { field: 'from', value: 'failed' },
    ]);
  });
});

describe('the words for what is stored', () => {
  const stored = {
    status: [...Object.values(AssignmentStatus), ...Object.values(DeliveryStatus), ...Object.values(EndpointStatus)],
    role: Object.values(Role),
    rights: [keyRight],
    language: Object.values(Language),
    demand: Object.values(SignInDemand),
  };

  it.each(Object.entries(stored))('as %s are there for each value, and differ', (field, values) => {
    const all = (['de', 'en'] as const).map((language) => {
      setCurrentLanguage(language);
      return [...new Set(values)].map((value) => valueName(field, value));
    });
    for (const words of all) {
      expect(words).not.toContain(undefined);
      expect(new Set(words).size).toBe(words.length);
    }
    const [de, en] = all;
    expect(de).not.toEqual(en);
    expect(dataName(field)).not.toBe(field);
  });

  it('are the values themselves of other fields, and of values that there are not', () => {
    expect([valueName('title', 'open'), valueName('status', 'constructor'), valueName('status', 'ended')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(dataName('constructor')).toBe('constructor');
  });
});
