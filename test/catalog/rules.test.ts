import { describe, expect, it } from 'vitest';
import { aCatalogItem, aRule, block } from '../support/practice.ts';
import { auditEntriesOn } from '../support/logs.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { aColleague, expectRefusal, inTheApp } from '../support/app-caller.ts';

const service = await useTestService();

const notFound = { code: 'not_found' };
const invalid = (field: string) => ({ code: 'validation_error', members: { field } });
const items = async (dimension: 'situation' | 'personality' | 'role', count: number, more: object = {}) => {
  const made: string[] = [];
  while (made.length < count) made.push(await aCatalogItem(service, { dimension, ...more }));
  return made;
};

describe('catalog.setRules', () => {
  it('sets the team’s rules of a situation in addition to global ones, replaces them, and audits the changes', async () => {
    const team = await aTeam(service);
    const { catalog } = await inTheApp(team);
    const [situation = ''] = await items('situation', 1);
    const [one = '', two = '', three = ''] = await items('role', 3);
    await aRule(service, { kind: 'only', situation, item: one });
    const global = { only: [one], never: [] };
    const set = (only: string[], never: string[]) => catalog.setRules({ situation_id: situation, only, never });
    expect(await set([two, two], [three])).toEqual({
      situation_id: situation,
      global,
      own: { only: [two], never: [three] },
    });
    expect(await set([], [three])).toMatchObject({ global, own: { only: [], never: [three] } });
    expect(await set([three], [])).toMatchObject({ global, own: { only: [three], never: [] } });
    expect(await set([three], [])).toEqual(await catalog.rules({ situation_id: situation }));
    expect(await auditEntriesOn(service, team, situation)).toMatchObject([
      {
        action: 'catalog.rules_changed',
        actor: ['person', team.owner.user_id],
        data: {
          added: [
            { kind: 'only', item_id: two },
            { kind: 'never', item_id: three },
          ],
          removed: [],
        },
      },
      { data: { added: [], removed: [{ kind: 'only', item_id: two }] } },
      { data: { added: [{ kind: 'only', item_id: three }], removed: [{ kind: 'never', item_id: three }] } },
    ]);
  });

  it('keeps the rules of teams separate', async () => {
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const [situation = ''] = await items('situation', 1);
    const [role = ''] = await items('role', 1);
    await (await inTheApp(team)).catalog.setRules({ situation_id: situation, only: [], never: [role] });
    const foreign = await inTheApp(other);
    expect(await foreign.catalog.rules({ situation_id: situation })).toMatchObject({ own: { only: [], never: [] } });
    const { rules } = await foreign.catalog.choices({});
    expect(rules.filter(({ situation_id }) => situation_id === situation)).toEqual([]);
    await foreign.catalog.setRules({ situation_id: situation, only: [], never: [] });
    expect((await (await inTheApp(team)).catalog.rules({ situation_id: situation })).own.never).toEqual([role]);
  });

  it('finds only situations', async () => {
    const { catalog } = await inTheApp(await aTeam(service));
    const [situation = ''] = await items('situation', 1);
    const [role = ''] = await items('role', 1);
    await expectRefusal(catalog.setRules({ situation_id: role, only: [], never: [] }), notFound);
    await expectRefusal(catalog.rules({ situation_id: role }), notFound);
    expect((await catalog.rules({ situation_id: situation })).own).toEqual({ only: [], never: [] });
  });

  it('refuses items that rules can’t be about, and an item in both lists', async () => {
    const team = await aTeam(service);
    const { catalog } = await inTheApp(team);
    const [situation = '', another = ''] = await items('situation', 2);
    const [role = ''] = await items('role', 1);
    const methodology = await aCatalogItem(service, { dimension: 'methodology' });
    for (const id of [situation, another, methodology]) {
      await expectRefusal(catalog.setRules({ situation_id: situation, only: [id], never: [] }), invalid('only'));
      await expectRefusal(catalog.setRules({ situation_id: situation, only: [], never: [id] }), invalid('never'));
    }
    await expectRefusal(catalog.setRules({ situation_id: situation, only: [role], never: [role] }), invalid('never'));
  });

  it('keeps a rule whose item is not visible any more', async () => {
    const team = await aTeam(service);
    const { catalog } = await inTheApp(team);
    const [situation = ''] = await items('situation', 1);
    const [gone = '', role = ''] = await items('role', 2);
    await catalog.setRules({ situation_id: situation, only: [gone], never: [] });
    await service.database.prisma.catalogItem.update({ where: { id: gone }, data: { published: false } });
    const { own } = await catalog.setRules({ situation_id: situation, only: [gone, role], never: [] });
    expect(own).toEqual({ only: [gone, role], never: [] });
  });

  it('results in one of the two changes when two admins decide at once', async () => {
    const team = await aTeam(service);
    const { catalog } = await inTheApp(team);
    const [situation = ''] = await items('situation', 1);
    const roles = await items('role', 2);
    await Promise.all(
      [0, 1, 0, 1].map((index) =>
        catalog.setRules({ situation_id: situation, only: [], never: roles.slice(index, index + 1) }),
      ),
    );
    const { own } = await catalog.rules({ situation_id: situation });
    expect(roles.map((id) => [id])).toContainEqual(own.never);
  });
});

describe('catalog.choices', () => {
  it('has the items that a member can get, named in their language, and the rules for combining them', async () => {
    const team = await aTeam(service);
    const own = { tenantId: team.id };
    const situation = await aCatalogItem(service, { dimension: 'situation', ...own, nameDe: 'Messe', nameEn: 'Fair' });
    const [one = '', two = '', three = ''] = await items('role', 3, own);
    const [gone = ''] = await items('role', 1, { ...own, published: false });
    const [first = '', second = ''] = await items('personality', 2, own);
    const rule = { situation, ...own };
    await aRule(service, { ...rule, kind: 'only', item: one });
    await aRule(service, { ...rule, kind: 'only', item: two });
    await aRule(service, { ...rule, kind: 'only', item: gone });
    await aRule(service, { ...rule, kind: 'never', item: three });
    await aRule(service, { ...rule, kind: 'never', item: first });
    await block(service, { tenantId: team.id, itemId: two });
    const choices = await (await inTheApp(team, undefined, 'en')).catalog.choices({});
    expect(choices.situation).toContainEqual({ id: situation, name: 'Fair', icon: null });
    expect(choices.personality.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
    expect(choices.role.map(({ id }) => id)).not.toContain(two);
    expect(choices.rules.filter(({ situation_id }) => situation_id === situation)).toEqual([
      { situation_id: situation, dimension: 'personality', only: null, never: [first] },
      { situation_id: situation, dimension: 'role', only: [one], never: [three] },
    ]);
  });

  it('allows no item if none of the `only` items is visible', async () => {
    const team = await aTeam(service);
    const [situation = ''] = await items('situation', 1);
    const [gone = ''] = await items('role', 1, { published: false });
    await aRule(service, { kind: 'only', situation, item: gone });
    const { rules } = await (await inTheApp(team)).catalog.choices({});
    expect(rules).toContainEqual({ situation_id: situation, dimension: 'role', only: [], never: [] });
  });

  it('has no rules of a situation that the member can’t get', async () => {
    const team = await aTeam(service);
    const [unpublished = ''] = await items('situation', 1, { published: false });
    const [blocked = ''] = await items('situation', 1);
    const [role = ''] = await items('role', 1);
    for (const situation of [unpublished, blocked]) await aRule(service, { kind: 'never', situation, item: role });
    await block(service, { tenantId: team.id, itemId: blocked });
    const choices = await (await inTheApp(team)).catalog.choices({});
    expect(JSON.stringify(choices)).not.toMatch(new RegExp(`${unpublished}|${blocked}`));
  });

  it('are a member’s own; an admin may read those of others', async () => {
    const team = await aTeam(service);
    const [member, admin] = [await aColleague(team), await aColleague(team, 'admin')];
    const { policy } = await inTheApp(team);
    const [role = ''] = await items('role', 1);
    await policy.setMember({ member_id: member.memberId, block: [role] });
    const [memberApp, adminApp] = [await inTheApp(team, member), await inTheApp(team, admin)];
    const offers = (choices: { role: { id: string }[] }) => choices.role.some(({ id }) => id === role);
    expect(offers(await memberApp.catalog.choices({}))).toBe(false);
    expect(offers(await memberApp.catalog.choices({ member_id: member.memberId }))).toBe(false);
    expect(offers(await adminApp.catalog.choices({}))).toBe(true);
    expect(offers(await adminApp.catalog.choices({ member_id: member.memberId }))).toBe(false);
    await expectRefusal(memberApp.catalog.choices({ member_id: admin.memberId }), notFound);
    expect(offers(await adminApp.catalog.choices({ member_id: null }))).toBe(true);
    await expectRefusal(memberApp.catalog.choices({ member_id: null }), notFound);
  });
});
