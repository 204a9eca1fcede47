import { beforeAll, describe, expect, it } from 'vitest';
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

describe('the advice on a problem', () => {
  it.each([
    [1, 'In 1 Sekunde noch einmal versuchen.', 'Try again in 1 second.'],
    [2, 'In 2 Sekunden noch einmal versuchen.', 'Try again in 2 seconds.'],
    [1_000, 'In 1.000 Sekunden noch einmal versuchen.', 'Try again in 1,000 seconds.'],
  ])('says after how many seconds to try again: %i', (wait, de, en) => {
    const problem = new Problem('rate_limited', { retry_after: wait });
    expect({ de: adviceOn(problem, 'de'), en: adviceOn(problem, 'en') }).toEqual({ de, en });
  });
});
