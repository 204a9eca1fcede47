import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { blocksOf, fillIn, guideFile, headings, settingsIn } from '../../scripts/kit/citus-guide.ts';
import { lines } from '../../src/db/cells/distributable.ts';

// What docs/citus.md says, `npm run try -- citus` does, and `npm run migrate -- --distribute` looks for.

const page = blocksOf(await readFile(guideFile, 'utf8'));
const textsOf = (heading: string, language: string): string =>
  page.flatMap((block) => (block.heading === heading && block.language === language ? [block.text] : [])).join('');
const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The blocks that the try runs, in their order. One more needs a line there. */
const run: Readonly<Record<string, readonly string[]>> = {
  [headings.settings]: ['ini', ''],
  [headings.roles]: ['sql', 'sql'],
  [headings.nodes]: ['sh', 'sql', 'sql'],
  [headings.distribute]: ['sh'],
  [headings.add]: ['sql', 'sh', 'sql', 'sh'],
  [headings.remove]: ['sql', 'sh'],
  [headings.backup]: ['sql'],
  [headings.restore]: ['ini', 'sh', 'sql', 'sql', 'sh'],
};

it('the try runs each block of the guide but that which installs Citus', () => {
  const found = Map.groupBy(page, ({ heading }) => heading);
  const languages = Array.from(found, ([heading, blocks]) => [heading, blocks.map(({ language }) => language)]);
  expect(Object.fromEntries(languages)).toEqual({ ...run, 'Install Citus': ['sh'] });
});

it('no address and no password of the examples stays when the try runs a block', () => {
  const values = {
    portOf: (number: number) => 20_000 + number,
    passwords: { ADMIN: 'a', OWNER: 'o', REQUEST: 'r' },
    shards: 8,
  };
  const filled = page.filter(({ heading }) => Object.hasOwn(run, heading)).map(({ text }) => fillIn(text, values));
  expect(filled.filter((text) => /10\.0\.0\.|5432|-PASSWORD|shard_count = 32/.test(text))).toEqual([]);
  expect(filled.join('')).toContain("citus_add_node('127.0.1.2', 20002)");
  expect(settingsIn(filled[0] ?? '')).toMatchObject({
    listen_addresses: 'localhost, 127.0.1.1',
    shared_preload_libraries: 'citus',
    wal_level: 'logical',
  });
});

/** Lines of the guide that `--distribute` does not look for, and why. */
const notLookedFor: Readonly<Record<string, string>> = {
  "ALTER ROLE postgres PASSWORD 'ADMIN-PASSWORD';": 'of the administrator: the health check of the guide',
  "INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, 'postgres', 'password=ADMIN-PASSWORD');":
    'the same',
  'CREATE DATABASE team_api OWNER team_api;': 'without the database, no node can be added; its owner is looked for',
  "SELECT citus_add_node('10.0.0.3', 5432);": 'a choice',
  'ALTER DATABASE team_api SET citus.shard_count = 32;': 'a choice',
};

it('--distribute looks for each line of the guide about roles and nodes, and names only lines of the guide', () => {
  const names = { owner: 'team_api', ownerText: "'team_api'", database: 'team_api' };
  const named = Object.values(lines).map((line) => line(names).text);
  const [, nodes = ''] = page.flatMap(({ heading, text }) => (heading === headings.nodes ? [text] : []));
  const ofGuide = [...linesIn(textsOf(headings.roles, 'sql')), ...linesIn(nodes)];
  expect(ofGuide.filter((line) => !named.includes(line)).toSorted()).toEqual(Object.keys(notLookedFor).toSorted());
  const settings = page.flatMap(({ heading, text }) => (heading === headings.settings ? linesIn(text) : []));
  expect(named.filter((line) => ![...ofGuide, ...settings].includes(line))).toEqual([
    'ALTER DATABASE team_api OWNER TO team_api;',
  ]);
});
