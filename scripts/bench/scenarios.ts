import { basePath } from '../../src/core/product.ts';
import type { Request } from './load.ts';
import type { Seeded, SeededTeam } from './seed.ts';

/** The program that the service is compared with. */
export const referenceHandler = 'scripts/bench/bare-handler.ts';

/** A request that the service and the bare handler answer alike. */
export interface Scenario {
  name: string;
  /** The lowest allowed ratio of the service's requests per second to the bare handler's. */
  floor: number;
  status: 200 | 201;
  ask: (index: number, team: SeededTeam, catalog: Seeded['catalog']) => { path: string; body?: object };
}

export const pick = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** A combination that every team may use: the first situation is left out, because teams block it and only it has rules. */
export const aCombination = (index: number, { situation, personality, industry }: Seeded['catalog']) => ({
  situation_id: pick(situation.slice(1), index),
  personality_id: pick(personality, index),
  industry_id: pick(industry, index),
});

export const scenarios: readonly Scenario[] = [
  {
    name: 'GET /users/{member_id}',
    floor: 0.75,
    status: 200,
    ask: (index, { members }) => ({ path: `/users/${pick(members, index)}` }),
  },
  { name: 'GET /users?limit=50', floor: 0.75, status: 200, ask: () => ({ path: '/users?limit=50' }) },
  { name: 'GET /trainings?limit=50', floor: 0.75, status: 200, ask: () => ({ path: '/trainings?limit=50' }) },
  {
    name: 'GET /trainings/{training_id}/evaluation',
    floor: 0.75,
    status: 200,
    ask: (index, { scored }) => ({ path: `/trainings/${pick(scored, index)}/evaluation` }),
  },
  {
    name: 'POST /assignments',
    floor: 0.65,
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

/** The request with this number. Each uses the next team and that team's next key, so that no key comes near its limit. */
export const requestAt = (index: number, { ask }: Scenario, { teams, catalog }: Seeded): Request => {
  const team = pick(teams, index);
  const key = pick(team.keys, Math.floor(index / teams.length));
  const { path, body } = ask(index, team, catalog);
  return {
    method: body ? 'POST' : 'GET',
    path: `${basePath}${path}`,
    authorization: `Bearer ${key}`,
    ...(body && { body: JSON.stringify(body) }),
  };
};

/** As many requests as there are keys, each with a different key. */
export const requestsOf = (scenario: Scenario, seeded: Seeded): Request[] => {
  const keys = seeded.teams.reduce((sum, team) => sum + team.keys.length, 0);
  return Array.from({ length: keys }, (_, index) => requestAt(index, scenario, seeded));
};
