import { describe, expect, it } from 'vitest';
import {
  exportTeamCatalog,
  importGlobalCatalog,
  importTeamCatalog,
  readDocument,
} from '../../src/modules/catalog/document.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { read, refusalOf } from './importing.ts';

const service = await useTestService({ own: true });

describe('a file', () => {
  it.each<[what: string, document: unknown, flaws: string[]]>([
    ['a list', [], ['the file']],
    [
      'unknown keys anywhere',
      { itmes: {}, items: { roles: [] }, rules: [{ situation: 'a', nver: {} }] },
      ['itmes', 'items.roles', 'rules[0].nver'],
    ],
    [
      'an unknown key of an item',
      { items: { role: [{ key: 'a', name: { de: 'A' }, colour: 1 }] } },
      ['items.role[0].colour'],
    ],
    ['no key, no name', { items: { role: [{}] } }, ['items.role[0].key', 'items.role[0].name']],
    ['a name in no language', { items: { role: [{ key: 'a', name: {} }] } }, ['items.role[0].name']],
    [
      'a name in a third language',
      { items: { role: [{ key: 'a', name: { fr: 'A' } }] } },
      ['items.role[0].name', 'items.role[0].name.fr'],
    ],
    [
      'names too long, blank, and not text',
      {
        items: {
          role: [
            { key: 'a', name: { de: 'x'.repeat(121), en: ' ' } },
            { key: 'b', name: { de: 'a\0', en: '\ud800' } },
          ],
        },
      },
      ['items.role[0].name.de', 'items.role[0].name.en', 'items.role[1].name.de', 'items.role[1].name.en'],
    ],
    [
      'bad keys',
      {
        items: { role: ['A', 'a b', '', 'global:a', '_a', 'a'.repeat(101)].map((key) => ({ key, name: { de: 'A' } })) },
      },
      [0, 1, 2, 3, 4, 5].map((index) => `items.role[${index}].key`),
    ],
    [
      'the same key twice',
      {
        items: {
          role: [
            { key: 'a', name: { de: 'A' } },
            { key: 'a', name: { de: 'B' } },
          ],
        },
      },
      ['items.role[1]'],
    ],
    [
      'bad values',
      { items: { role: [{ key: 'a', name: { de: 'A' }, icon: 'A B', position: -1, published: 'yes' }] } },
      ['items.role[0].icon', 'items.role[0].position', 'items.role[0].published'],
    ],
    ['the same situation twice', { rules: [{ situation: 'a' }, { situation: 'a' }] }, ['rules[1]']],
    ['the same item twice', { rules: [{ situation: 'a', only: { role: ['b', 'b'] } }] }, ['rules[0].only.role[1]']],
    [
      'an item both ways',
      { rules: [{ situation: 'a', only: { role: ['b'] }, never: { role: ['c', 'b'] } }] },
      ['rules[0].never.role[1]'],
    ],
    ['a list of nothing', { rules: [{ situation: 'a', only: { role: [] } }] }, ['rules[0].only.role']],
    [
      'a rule about a situation or a methodology',
      { rules: [{ situation: 'a', never: { situation: ['b'], methodology: ['c'] } }] },
      ['rules[0].never.situation', 'rules[0].never.methodology'],
    ],
  ])('is refused for %s, each flaw with its place', async (_what, document, flaws) => {
    const { code, members } = await refusalOf(() => read(document));
    expect(code).toBe('validation_error');
    const lines = (members.detail ?? '')
      .trim()
      .split('\n')
      .map((line) => line.trim());
    expect(lines.map((line) => line.slice(0, line.indexOf(': '))).sort()).toEqual([...flaws].sort());
    for (const line of lines) expect(line).toMatch(/: .{5,}/);
  });

  it.each<[what: string, bytes: Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['half a document', Buffer.from('{"items":')],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['more brackets than a parser likes', Buffer.from('['.repeat(200_000))],
  ])('is refused when it is %s', async (_what, bytes) => {
    const { members } = await refusalOf(() => readDocument(bytes));
    expect(members.detail).toMatch(/the file: It is not (JSON|UTF-8)/);
  });

  it('may start with a byte order mark', () => {
    expect(readDocument(Buffer.from('\ufeff{}')).rules).toEqual([]);
  });

  it('is refused completely if its rules name unknown items, with the place of each', async () => {
    const team = await aTeam(service);
    const own = { items: { situation: [{ key: 'own_situation', name: { de: 'Eigene' } }] } };
    await importTeamCatalog(await team.acting(), read(own));
    const everybodys = { items: { situation: [{ key: 'everybodys', name: { de: 'Gemeinsame' } }] } };
    await importGlobalCatalog(service.platform, read(everybodys));
    const document = read({
      items: { role: [{ key: 'new_role', name: { de: 'Neu' } }] },
      rules: [
        { situation: 'nowhere', never: { role: ['new_role'] } },
        { situation: 'everybodys', never: { role: ['new_role'] } },
        {
          situation: 'own_situation',
          only: { role: ['nobody'], industry: ['new_role'] },
          never: { role: ['global:new_role'] },
        },
      ],
    });
    const { members } = await refusalOf(async () => importTeamCatalog(await team.acting(), document));
    expect(members.errors?.map(({ path }) => path.join('.'))).toEqual([
      'rules.0.situation',
      'rules.1.situation',
      'rules.2.only.industry.0',
      'rules.2.only.role.0',
      'rules.2.never.role.0',
    ]);
    expect((await exportTeamCatalog(await team.acting())).items.role).toEqual([]);
    const global = await refusalOf(() =>
      importGlobalCatalog(service.platform, read({ rules: [{ situation: 'global:everybodys' }] })),
    );
    expect(global.members.detail).toContain('rules[0].situation');
  });
});
