import { basePath } from '../../src/core/base-path.ts';
import type { Request } from './load.ts';
import type { Seeded, SeededTeam } from './seed.ts';

/** What is asked of the service and of the bare handler alike. */
export interface Scenario {
  name: string;
  /** The least part of the bare handler's requests per second. */
  floor: number;
  status: 200 | 201;
  ask: (index: number, team: SeededTeam, catalog: Seeded['catalog']) => { path: string; body?: object };
}

export const pick = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** Of the catalog all but the first situation is released, and goes with everything. */
export const aCombination = (index: number, { situation, personality, industry }: Seeded['catalog']) => ({
  situation_id: pick(situation.slice(1), index),
  personality_id: pick(personality, index),
  industry_id: pick(industry, index),
});

export const scenarios: readonly Scenario[] = [
  {
    name: 'GET /users/{member_id}',
    floor: 0.7,
    status: 200,
    ask: (index, { members }) => ({ path: `/users/${pick(members, index)}` }),
  },
  { name: 'GET /users?limit=50', floor: 0.75, status: 200, ask: () => ({ path: '/users?limit=50' }) },
  { name: 'GET /trainings?limit=50', floor: 0.75, status: 200, ask: () => ({ path: '/trainings?limit=50' }) },
  {
    name: 'GET /trainings/{training_id}/evaluation',
    floor: 0.7,
    status: 200,
    ask: (index, { scored }) => ({ path: `/trainings/${pick(scored, index)}/evaluation` }),
  },
  {
    name: 'POST /assignments',
    floor: 0.6,
    status: 201,
    ask: (index, { members }, catalog) => ({
      path: '/assignments',
      body: {
        member_id: pick(members, index),
        title: 'Preisgespräch mit einem skeptischen Einkäufer',
        ...aCombination(index, catalog),
        note: 'Nennen Sie den Preis, bevor Sie ihn verteidigen.',
        due_date: '2026-12-04',
      },
    }),
  },
];

/** Each request with the next team and that team's next key, so that no key comes near its limit. */
export const requestsFor = (origin: string, { ask }: Scenario, { teams, catalog }: Seeded): (() => Request) => {
  let index = 0;
  return () => {
    index += 1;
    const team = pick(teams, index);
    const key = pick(team.keys, Math.floor(index / teams.length));
    const { path, body } = ask(index, team, catalog);
    return {
      origin,
      method: body ? 'POST' : 'GET',
      path: `${basePath}${path}`,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    };
  };
};
