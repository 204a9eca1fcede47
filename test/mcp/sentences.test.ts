import { beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import { adviceOn, allTools, toolNamed } from '../../src/server/mcp/protocol.ts';
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

/** So many rows like the first one of a list. */
const rows = (list: unknown, count: number): unknown[] =>
  Array.isArray(list) ? Array.from({ length: count }, (): unknown => list[0]) : [];

const record = (value: unknown): Record<string, unknown> => Object.assign({}, value);

const numbers = [0, 1, 2, 1_000] as const;
type Answer = Record<string, unknown>;

interface Counting {
  /** The answer with so many of each thing. */
  with: (answer: Answer, count: number) => Answer;
  /** The sentences for 0, 1, 2 and 1,000 of each. */
  de: readonly string[];
  en: readonly string[];
  /** The sentences for one of each, if there may be more. */
  orMore?: { de: string; en: string };
}

/** The sentence of every tool; null: it counts nothing. */
const sentences: Readonly<Record<string, Counting | null>> = {
  team_progress: {
    with: ({ totals, ...answer }, count) => ({
      ...answer,
      totals: { ...record(totals), active_members: count, sessions: count, avg_score: 72.5 },
      skill_gaps: [],
    }),
    de: [
      '0 aktive Mitglieder, 0 Trainings, Durchschnitt 72,5. Lücken: keine.',
      '1 aktives Mitglied, 1 Training, Durchschnitt 72,5. Lücken: keine.',
      '2 aktive Mitglieder, 2 Trainings, Durchschnitt 72,5. Lücken: keine.',
      '1.000 aktive Mitglieder, 1.000 Trainings, Durchschnitt 72,5. Lücken: keine.',
    ],
    en: [
      '0 active members, 0 trainings, mean score 72.5. Gaps: none.',
      '1 active member, 1 training, mean score 72.5. Gaps: none.',
      '2 active members, 2 trainings, mean score 72.5. Gaps: none.',
      '1,000 active members, 1,000 trainings, mean score 72.5. Gaps: none.',
    ],
  },
  who_needs_help: null,
  find_member: {
    with: (answer, count) => ({ members: rows(answer['members'], count), complete: true }),
    de: ['0 Mitglieder gefunden.', '1 Mitglied gefunden.', '2 Mitglieder gefunden.', '1.000 Mitglieder gefunden.'],
    en: ['Found 0 members.', 'Found 1 member.', 'Found 2 members.', 'Found 1,000 members.'],
    orMore: { de: '1+ Mitglieder gefunden.', en: 'Found 1+ members.' },
  },
  member_evaluations: null,
  recent_trainings: {
    with: (answer, count) => ({ trainings: rows(answer['trainings'], count), complete: true }),
    de: ['0 Trainings.', '1 Training.', '2 Trainings.', '1.000 Trainings.'],
    en: ['0 trainings.', '1 training.', '2 trainings.', '1,000 trainings.'],
    orMore: { de: '1+ Trainings.', en: '1+ trainings.' },
  },
  list_assignments: {
    with: (answer, count) => ({ assignments: rows(answer['assignments'], count), complete: true }),
    de: [
      '0 Aufgaben, 0 überfällig.',
      '1 Aufgabe, 1 überfällig.',
      '2 Aufgaben, 2 überfällig.',
      '1.000 Aufgaben, 1.000 überfällig.',
    ],
    en: [
      '0 assignments, 0 overdue.',
      '1 assignment, 1 overdue.',
      '2 assignments, 2 overdue.',
      '1,000 assignments, 1,000 overdue.',
    ],
    orMore: { de: '1+ Aufgaben, 1 überfällig.', en: '1+ assignments, 1 overdue.' },
  },
  assign_practice: null,
  practice_catalog: {
    with: ({ situation, personality, industry, ...answer }, count) => ({
      ...answer,
      situation: rows(situation, count),
      personality: rows(personality, count),
      industry: rows(industry, count),
    }),
    de: [
      '0 Situationen, 0 Persönlichkeiten, 0 Branchen.',
      '1 Situation, 1 Persönlichkeit, 1 Branche.',
      '2 Situationen, 2 Persönlichkeiten, 2 Branchen.',
      '1.000 Situationen, 1.000 Persönlichkeiten, 1.000 Branchen.',
    ],
    en: [
      '0 situations, 0 personalities, 0 industries.',
      '1 situation, 1 personality, 1 industry.',
      '2 situations, 2 personalities, 2 industries.',
      '1,000 situations, 1,000 personalities, 1,000 industries.',
    ],
  },
  list_cases: {
    with: (answer, count) => ({ cases: rows(answer['cases'], count), complete: true }),
    de: ['0 Fälle.', '1 Fall.', '2 Fälle.', '1.000 Fälle.'],
    en: ['0 cases.', '1 case.', '2 cases.', '1,000 cases.'],
    orMore: { de: '1+ Fälle.', en: '1+ cases.' },
  },
  create_case: null,
};

describe('the sentence of a tool', () => {
  it('is in this table for every tool', () => {
    expect(Object.keys(sentences).toSorted()).toEqual(allTools.map(({ name }) => name).toSorted());
  });

  const counting = Object.entries(sentences).flatMap(([name, of]) => (of ? [{ name, of }] : []));

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
    if (sentences[name] === null) expect(texts.en.replaceAll(/latest scores.*|\S+@\S+/g, '')).not.toMatch(/\d/);
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
