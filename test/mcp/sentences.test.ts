import { beforeAll, describe, expect, it } from 'vitest';
import { accessMessages } from '../../src/core/messages/people.ts';
import { ownShareInUse } from '../../src/core/own-share.ts';
import { Problem } from '../../src/core/problem.ts';
import { adviceOn, allTools, toolNamed } from '../../src/server/mcp/protocol.ts';
import { tools } from '../contract/rows/tools.ts';
import { aCoachedTeam, anAssistant } from '../support/assistants.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

/** Real answers of all tools, of which a list has one row, or few. */
const answers = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  const team = await aTeam(service);
  const { given } = await aCoachedTeam(service, team);
  const assistant = await anAssistant(service, (await team.aKey()).text);
  for (const { name } of allTools) {
    const { data } = await assistant.call(name, given[name]);
    answers.set(name, data);
  }
});

const numbers = [0, 1, 2, 1_000] as const;
type Answer = Record<string, unknown>;

describe('the sentence of a tool', () => {
  const counting = Object.entries(tools).flatMap(([name, { sentence }]) => (sentence ? [{ name, of: sentence }] : []));

  it.each(counting)('of $name has the singular and plural of what it counts, in both languages', ({ name, of }) => {
    const answer = answers.get(name) ?? {};
    const say = (given: Answer) => toolNamed.get(name)?.summaryOf(given);
    const said = numbers.map((count) => say(of.with(answer, count)));
    expect(said.map((texts) => texts?.de)).toEqual(of.de);
    expect(said.map((texts) => texts?.en)).toEqual(of.en);
    if (of.orMore) expect(say({ ...of.with(answer, 1), complete: false })).toEqual(of.orMore);
  });

  it.each(allTools)('of $name has a number only if the table counts it', ({ name, summaryOf }) => {
    const texts = summaryOf(answers.get(name));
    // Addresses and scores are no counts.
    if (tools[name]?.sentence === null) expect(texts.en.replaceAll(/latest scores.*|\S+@\S+/g, '')).not.toMatch(/\d/);
    else expect(texts.en).toMatch(/\d/);
  });
});

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> => Object.assign({}, value);

const anna = { member_id: 'm1', name: 'Anna', email: 'anna@example.com' };
const inNeed = (at: number) => ({
  ...anna,
  name: at === 0 ? null : `Anna ${at}`,
  reason: 'no_practice',
  trainings: 0,
  last_training_at: null,
  last_score: null,
  weakest_dimension: null,
});
const weak = { dimensions: [{ dimension: 'closing', mean: 41 }] };

/** What the sentences that count nothing say: the answer's fields that differ from a real one, and both languages. */
const others: [tool: string, changes: Answer | ((answer: Answer) => Answer), de: string, en: string][] = [
  [
    'who_needs_help',
    { ...weak, members: null, members_hidden: 'privacy_restricted' },
    'Schwächste Dimension: closing. Unterstützung brauchen: nicht sichtbar.',
    'Weakest dimension: closing. Members who need help: not visible.',
  ],
  [
    'who_needs_help',
    { dimensions: [], members: [] },
    'Schwächste Dimension: noch keine Werte. Unterstützung brauchen: niemand.',
    'Weakest dimension: no scores yet. Members who need help: nobody.',
  ],
  [
    'who_needs_help',
    { ...weak, members: Array.from({ length: 5 }, (_, at) => inNeed(at)) },
    'Schwächste Dimension: closing. Unterstützung brauchen: anna@example.com, Anna 1, Anna 2, Anna 3, Anna 4.',
    'Weakest dimension: closing. Members who need help: anna@example.com, Anna 1, Anna 2, Anna 3, Anna 4.',
  ],
  [
    'who_needs_help',
    { ...weak, members: Array.from({ length: 6 }, (_, at) => inNeed(at + 1)) },
    'Schwächste Dimension: closing. Unterstützung brauchen: Anna 1, Anna 2, Anna 3, Anna 4, Anna 5, ….',
    'Weakest dimension: closing. Members who need help: Anna 1, Anna 2, Anna 3, Anna 4, Anna 5, ….',
  ],
  [
    'member_evaluations',
    { member: anna, evaluations: [] },
    'Anna hat noch keine Bewertung.',
    'Anna has no evaluation yet.',
  ],
  [
    'member_evaluations',
    (answer) => {
      const [first] = list(answer['evaluations']).map(record);
      const scored = (total: number | null) => ({ ...first, score: { ...record(first?.['score']), total } });
      return { member: { ...anna, name: null, email: null }, evaluations: [scored(72), scored(null)] };
    },
    'm1: Punkte zuletzt 72, –.',
    'm1: latest scores 72, –.',
  ],
  [
    'assign_practice',
    { title: 'Preis', member_email: 'anna@example.com' },
    'Aufgabe „Preis“ vergeben an anna@example.com.',
    'Assigned “Preis” to anna@example.com.',
  ],
  ['assign_practice', { title: null, member_email: null }, 'Aufgabe „“ vergeben.', 'Assigned “”.'],
  ['create_case', { title: 'Preis' }, 'Fall „Preis“ angelegt.', 'Created the case “Preis”.'],
  ['create_case', { title: null, case_id: 'c1' }, 'Fall „c1“ angelegt.', 'Created the case “c1”.'],
];

describe('the sentence of a tool that counts nothing', () => {
  it('is in this table', () => {
    const names = Object.keys(tools).filter((name) => tools[name]?.sentence === null);
    expect([...new Set(others.map(([name]) => name))].toSorted()).toEqual(names.toSorted());
  });

  it.each(others)('of %s says the same in both languages (%#)', (name, changes, de, en) => {
    const answer = answers.get(name) ?? {};
    const changed = typeof changes === 'function' ? changes(answer) : changes;
    expect(toolNamed.get(name)?.summaryOf({ ...answer, ...changed })).toEqual({ de, en });
  });
});

describe('the advice on a problem', () => {
  it.each([
    [1, 'In 1 Sekunde noch einmal versuchen.', 'Try again in 1 second.'],
    [2, 'In 2 Sekunden noch einmal versuchen.', 'Try again in 2 seconds.'],
    [1_000, 'In 1.000 Sekunden noch einmal versuchen.', 'Try again in 1,000 seconds.'],
  ])('says after how many seconds to try again: %i', (wait, de, en) => {
    const problem = new Problem('rate_limited', { retry_after: wait });
    expect({ de: adviceOn(problem, 'de'), en: adviceOn(problem, 'en') }).toEqual({ de, en });
  });

  it('first says why, if that is known', () => {
    const problem = ownShareInUse(2);
    const { de, en } = accessMessages.ownShareInUse;
    expect(adviceOn(problem, 'de')).toBe(`${de} In 2 Sekunden noch einmal versuchen.`);
    expect(adviceOn(problem, 'en')).toBe(`${en} Try again in 2 seconds.`);
  });
});
