import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { aCatalogItem, block } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { expectRefusal, inTheApp } from '../support/app-caller.ts';

const service = await useTestService();

const notFound = { code: 'not_found' };
const dimension = 'personality';

describe('policy.setTeam', () => {
  it('blocks and releases for the whole team, and audits the changes', async () => {
    const team = await aTeam(service);
    const { policy } = await inTheApp(team);
    const [one, two] = [await aCatalogItem(service, { dimension }), await aCatalogItem(service, { dimension })];
    expect(await policy.setTeam({ block: [two, one, one] })).toEqual({ blocked: [one, two].sort() });
    expect((await team.client.get('/catalog')).text).not.toContain(one);
    expect(await policy.setTeam({ release: [one], block: [two] })).toEqual({ blocked: [two] });
    expect((await team.client.get('/catalog')).text).toContain(one);
    expect(await policy.setTeam({ release: [one] })).toEqual({ blocked: [two] });
    expect(await policy.setTeam({})).toEqual(await policy.team({}));
    expect(await auditEntriesOn(service, team, team.id)).toMatchObject([
      { action: 'team.created' },
      {
        action: 'policy.team_changed',
        actor: ['person', team.owner.user_id],
        data: { blocked: [two, one], released: [] },
      },
      { action: 'policy.team_changed', data: { blocked: [], released: [one] } },
    ]);
  });

  it('audits the first twenty items of a large change and their number, so that the log stays small', async () => {
    const team = await aTeam(service);
    const { policy } = await inTheApp(team);
    const ids: string[] = [];
    while (ids.length < 30) ids.push(await aCatalogItem(service, { dimension }));
    await policy.setTeam({ block: ids });
    await policy.setTeam({ release: ids });
    expect((await auditEntriesOn(service, team, team.id)).slice(1).map(({ data }) => data)).toEqual([
      { blocked: ids.slice(0, 20), blocked_total: 30, released: [] },
      { blocked: [], released: ids.slice(0, 20), released_total: 30 },
    ]);
  });

  it('does not affect other teams', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const id = await aCatalogItem(service, { dimension });
    const [own, foreign] = [await inTheApp(team), await inTheApp(other)];
    await own.policy.setTeam({ block: [id] });
    expect(await foreign.policy.team({})).toEqual({ blocked: [] });
    await foreign.policy.setTeam({ release: [id] });
    expect(await own.policy.team({})).toEqual({ blocked: [id] });
  });

  it.each([
    ['unknown item', async () => makeId()],
    ['unpublished item of everybody’s', () => aCatalogItem(service, { dimension, published: false })],
  ])('finds no %s, and then changes nothing', async (_what, idOf) => {
    const { policy } = await inTheApp(await aTeam(service));
    const known = await aCatalogItem(service, { dimension });
    const id = await idOf();
    await expectRefusal(policy.setTeam({ block: [known, id] }), notFound);
    await expectRefusal(policy.setTeam({ block: [known], release: [id] }), notFound);
    expect(await policy.team({})).toEqual({ blocked: [] });
  });

  it('refuses to block and release the same item', async () => {
    const team = await aTeam(service);
    const { policy } = await inTheApp(team);
    const id = await aCatalogItem(service, { dimension });
    await expectRefusal(policy.setTeam({ block: [id], release: [id] }), {
      code: 'validation_error',
      members: { field: 'release' },
    });
  });

  it('refuses more than 1,000 at once', async () => {
    const { policy } = await inTheApp(await aTeam(service));
    await expectRefusal(policy.setTeam({ block: Array.from({ length: 1_001 }, makeId) }), 'BAD_REQUEST');
  });

  it('loses no change when many admins decide at once', async () => {
    const team = await aTeam(service);
    const { policy } = await inTheApp(team);
    const ids: string[] = [];
    while (ids.length < 8) ids.push(await aCatalogItem(service, { dimension }));
    // Each request blocks one item of its own, and all of them block the last item.
    const [last = '', ...others] = ids;
    await Promise.all(others.map((id) => policy.setTeam({ block: [id, last] })));
    expect((await policy.team({})).blocked.sort()).toEqual(ids.sort());
    const audited = (await auditEntriesOn(service, team, team.id)).filter(
      ({ action }) => action === 'policy.team_changed',
    );
    expect(audited.filter(({ data }) => JSON.stringify(data).includes(last))).toHaveLength(1);
  });
});

describe('policy.setMember', () => {
  it('narrows the choices of one member only, and audits the changes', async () => {
    const team = await aTeam(service, { members: 2 });
    const [member = '', colleague = ''] = team.members.map(({ id }) => id);
    const { policy, catalog } = await inTheApp(team);
    const id = await aCatalogItem(service, { dimension });
    expect(await policy.setMember({ member_id: member, block: [id] })).toEqual({ blocked: [id] });
    expect(await policy.member({ member_id: member })).toEqual({ blocked: [id] });
    expect(await policy.member({ member_id: colleague })).toEqual({ blocked: [] });
    expect(await policy.team({})).toEqual({ blocked: [] });
    expect((await team.client.get('/catalog')).text).toContain(id);
    const offered = async (member_id: string) =>
      (await catalog.choices({ member_id })).personality.some((entry) => entry.id === id);
    expect([await offered(member), await offered(colleague)]).toEqual([false, true]);
    await policy.setMember({ member_id: member, release: [id] });
    expect(await offered(member)).toBe(true);
    expect((await auditEntriesOn(service, team, member)).slice(1)).toMatchObject([
      { action: 'policy.member_changed', data: { blocked: [id], released: [] } },
      { action: 'policy.member_changed', data: { blocked: [], released: [id] } },
    ]);
  });

  it('can’t widen the team’s policy', async () => {
    const team = await aTeam(service, { members: 1 });
    const member_id = team.members[0]?.id ?? '';
    const { policy, catalog } = await inTheApp(team);
    const id = await aCatalogItem(service, { dimension });
    await policy.setTeam({ block: [id] });
    await policy.setMember({ member_id, release: [id] });
    expect((await catalog.choices({ member_id })).personality.map((entry) => entry.id)).not.toContain(id);
  });

  it('accepts an invited member, but no ended one, another team’s, or an invalid id', async () => {
    const [team, other] = [await aTeam(service, { members: 1 }), await aTeam(service, { members: 1 })];
    const { policy, catalog } = await inTheApp(team);
    const id = await aCatalogItem(service, { dimension });
    const invited = await team.anInvitedMember();
    expect(await policy.setMember({ member_id: invited.id, block: [id] })).toEqual({ blocked: [id] });
    const ended = team.members[0]?.id ?? '';
    await team.client.delete(`/users/${ended}`);
    const foreign = other.members[0]?.id ?? '';
    await block(service, { tenantId: other.id, memberId: foreign, itemId: id });
    for (const member_id of [ended, foreign, makeId(), 'x', '']) {
      await expectRefusal(policy.member({ member_id }), notFound);
      await expectRefusal(policy.setMember({ member_id, release: [id] }), notFound);
      await expectRefusal(catalog.choices({ member_id }), notFound);
    }
    expect(await (await inTheApp(other)).policy.member({ member_id: foreign })).toEqual({ blocked: [id] });
  });
});
