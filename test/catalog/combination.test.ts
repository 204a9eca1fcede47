import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { aCatalogItem, aRule, block } from '../support/practice.ts';
import type { Answer } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

// How POST /assignments refuses a combination. The rules themselves are compared with a plain evaluation, for any
// catalog, in combination-model.test.ts.
const service = await useTestService();
const team = await aTeam(service, { members: 1 });
const [member = ''] = team.members.map(({ id }) => id);

const dimensions = ['situation', 'personality', 'industry'] as const;
type Dimension = (typeof dimensions)[number];
type Ids = Record<Dimension, string>;

/** A combination that no rule or policy excludes. */
const allowed = async (): Promise<Ids> => ({
  situation: await aCatalogItem(service, { dimension: 'situation' }),
  personality: await aCatalogItem(service, { dimension: 'personality', tenantId: team.id }),
  industry: await aCatalogItem(service, { dimension: 'industry' }),
});

const assign = ({ situation, personality, industry }: Ids): Promise<Answer> =>
  team.client.post('/assignments', {
    member_id: member,
    title: 'Üben',
    situation_id: situation,
    personality_id: personality,
    industry_id: industry,
  });

describe.each(dimensions)('a combination whose %s', (dimension) => {
  it('can not be chosen is refused with the dimension and the id', async () => {
    const ids = await allowed();
    for (const id of [makeId(), 'x', '', ids[dimension].toUpperCase()]) {
      expect(await assign({ ...ids, [dimension]: id })).toBeProblem('kombination_ungueltig', { dimension, id });
    }
  });

  it('is blocked by a policy is refused', async () => {
    const ids = await allowed();
    await block(service, { tenantId: team.id, itemId: ids[dimension] });
    expect(await assign(ids)).toBeProblem('vorgabe_gesperrt');
  });
});

it.each(['personality', 'industry'] as const)(
  'a combination whose situation excludes the %s is refused with the dimension alone',
  async (dimension) => {
    const ids = await allowed();
    await aRule(service, { kind: 'never', situation: ids.situation, item: ids[dimension], tenantId: team.id });
    const answer = await assign(ids);
    expect(answer).toBeProblem('kombination_ungueltig', { dimension });
    expect(answer.body).not.toHaveProperty('id');
    expect((await assign({ ...ids, [dimension]: await aCatalogItem(service, { dimension }) })).status).toBe(201);
  },
);
