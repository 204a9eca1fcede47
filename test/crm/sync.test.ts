import { describe, expect, it } from 'vitest';
import { daysToMs, secondsToMs } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { connectCrm } from '../../src/modules/crm/service.ts';
import { storeFound } from '../../src/modules/crm/sync.ts';
import type { SourceDeal, SourceObjection } from '../../src/modules/crm/providers/rows.ts';
import type { Team } from '../../src/platform/team.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const aConnectedTeam = async () => {
  const made = await aTeam(service, { members: 1 });
  const team = await made.acting();
  const { id } = await connectCrm(team, { provider: 'hubspot' });
  return { ...made, team, connection: id };
};

const dealsOf = ({ id }: Team) =>
  service.database.prisma.crmDeal.findMany({ where: { tenantId: id }, orderBy: { externalId: 'asc' } });
const objectionsOf = ({ id }: Team) =>
  service.database.prisma.crmObjection.findMany({ where: { tenantId: id }, orderBy: { text: 'asc' } });

const named = (id: string, more: Partial<SourceDeal> = {}): SourceDeal => ({ id, outcome: 'open', ...more });

const storeDeals = async (team: Team, connection: string, deals: SourceDeal[]) =>
  (await storeFound(team, connection, { deals, objections: [] })).deals;
const storeObjections = async (team: Team, connection: string, objections: SourceObjection[]) =>
  (await storeFound(team, connection, { deals: [], objections })).objections;

describe('a connection to a CRM', () => {
  it('is made with a line in the audit log', async () => {
    const { team, connection } = await aConnectedTeam();
    const where = { tenantId: team.id, action: 'crm_connection.created' };
    expect(await service.database.prisma.auditEntry.findMany({ where })).toEqual([
      expect.objectContaining({
        actorKind: 'operator',
        targetType: 'crm_connection',
        targetId: connection,
        data: { provider: 'hubspot', active: true },
      }),
    ]);
    expect(await service.database.prisma.crmConnection.findMany({ where: { tenantId: team.id } })).toEqual([
      expect.objectContaining({ id: connection, provider: 'hubspot', active: true, credentials: null }),
    ]);
  });

  it.each(['nothing', '00000000-0000-7000-8000-000000000000', 'of another team'])(
    'is not found by %s, and then nothing is stored',
    async (what) => {
      const { team } = await aConnectedTeam();
      const id = what === 'of another team' ? (await aConnectedTeam()).connection : what;
      await expect(storeDeals(team, id, [named('1')])).rejects.toMatchObject({ code: 'not_found' });
      await expect(storeObjections(team, id, [])).rejects.toMatchObject({ code: 'not_found' });
      expect(await dealsOf(team)).toEqual([]);
    },
  );
});

describe('the result of a sync', () => {
  it('is found again by the CRM’s id, and replaced completely', async () => {
    const { team, connection, owner } = await aConnectedTeam();
    const whole = named('A', { outcome: 'won', title: 'old', amount: '1.10', ownerEmail: owner.email });
    expect(await storeDeals(team, connection, [whole, named('B')])).toBe(2);
    const [a, b] = await dealsOf(team);
    expect(a).toMatchObject({
      tenantId: team.id,
      connectionId: connection,
      externalId: 'A',
      ownerUserId: owner.user_id,
    });
    expect(b).toMatchObject({ externalId: 'B', outcome: 'open', title: null, amount: null, ownerUserId: null });
    expect(b?.createdAt).toEqual(b?.syncedAt);
    expect(a?.syncedAt).toEqual(b?.syncedAt);

    service.clock.forward(daysToMs(1));
    await storeDeals(team, connection, [named('A', { outcome: 'lost', title: 'new' })]);
    const [again, untouched] = await dealsOf(team);
    expect(again).toMatchObject({
      id: a?.id,
      outcome: 'lost',
      title: 'new',
      amount: null,
      ownerUserId: null,
      createdAt: a?.createdAt,
    });
    expect(Number(again?.syncedAt) - Number(a?.syncedAt)).toBeGreaterThan(daysToMs(1) - secondsToMs(1));
    expect(untouched).toEqual(b);
  });

  it('may be empty, or have the same deal twice: the last one counts', async () => {
    const { team, connection } = await aConnectedTeam();
    expect(await storeDeals(team, connection, [])).toBe(0);
    expect(await storeObjections(team, connection, [])).toBe(0);
    await storeDeals(team, connection, [named('A', { title: 'first' }), named('B'), named('A', { title: 'last' })]);
    expect((await dealsOf(team)).map(({ title }) => title)).toEqual(['last', null]);
  });

  it('keeps the beginning of a text that is too long, with blanks for its control characters', async () => {
    const { team, connection } = await aConnectedTeam();
    const max = limits.noteCharacters;
    const [sent, kept] = [`a\u0001b\n${'💬'.repeat(max)}`, `a b\n${'💬'.repeat(max - 4)}`];
    await storeFound(team, connection, {
      deals: [named('A', { title: sent, lostReason: sent })],
      objections: [{ id: '1', dealId: 'A', category: 'c', text: sent, lang: 'de' }],
    });
    const [[deal], [objection]] = [await dealsOf(team), await objectionsOf(team)];
    expect([deal?.title === kept, deal?.lostReason === kept, objection?.text === kept]).toEqual([true, true, true]);
  });

  it('stores objections with their deal, and leaves out those of unknown deals', async () => {
    const { team, connection } = await aConnectedTeam();
    const { id: second } = await connectCrm(team, { provider: 'pipedrive', active: false });
    await storeDeals(team, connection, [named('A'), named('B')]);
    await storeDeals(team, second, [named('A'), named('C')]);
    const [a] = await dealsOf(team);
    const one = { category: 'price', lang: 'de', id: '1' };
    const createdAt = new Date('2026-11-01T10:00:00.000Z');
    const stored = await storeObjections(team, connection, [
      { ...one, dealId: 'A', text: 'not kept' },
      { ...one, dealId: 'A', text: 'a1', createdAt },
      { ...one, dealId: 'B', text: 'b1' },
      { ...one, dealId: 'C', text: 'of the other connection' },
    ]);
    expect(stored).toBe(2);
    const [first, other] = await objectionsOf(team);
    const deals = await dealsOf(team);
    const idOf = (externalId: string) =>
      deals.find((deal) => deal.externalId === externalId && deal.connectionId === connection)?.id;
    expect(first).toMatchObject({ text: 'a1', dealId: idOf('A'), connectionId: connection, createdAt });
    expect(other).toMatchObject({ text: 'b1', dealId: idOf('B') });
    expect(deals).toContainEqual(a);

    await storeObjections(team, connection, [
      { id: '1', dealId: 'A', category: 'timing', text: 'aa', lang: 'en', createdAt: new Date() },
    ]);
    const changed = {
      ...first,
      category: 'timing',
      text: 'aa',
      lang: 'en',
      syncedAt: expect.any(Date),
      updatedAt: expect.any(Date),
    };
    expect(await objectionsOf(team)).toEqual([changed, other]);
    expect(Number((await objectionsOf(team))[0]?.updatedAt)).toBeGreaterThanOrEqual(Number(first?.updatedAt));
  });

  it('gives a new time to each deal that it found, and of the objections to those that are new or different', async () => {
    const { team, connection } = await aConnectedTeam();
    const texts = { dealId: 'A', category: 'price', lang: 'de' };
    const [same, other] = [
      { ...texts, id: '1', text: 'a' },
      { ...texts, id: '2', text: 'b' },
    ];
    await storeFound(team, connection, { deals: [named('A'), named('B')], objections: [same, other] });
    service.clock.forward(secondsToMs(1));
    const again = service.clock.now();
    const changed = { ...other, text: 'c' };
    await storeFound(team, connection, { deals: [named('A')], objections: [same, changed] });
    const isNew = ({ updatedAt }: { updatedAt: Date }) => updatedAt >= again;
    expect((await dealsOf(team)).filter(isNew).map(({ externalId }) => externalId)).toEqual(['A']);
    expect((await objectionsOf(team)).filter(isNew).map(({ text }) => text)).toEqual(['c']);
  });

  it('is stored once when several syncs of a connection run at the same time, in any order', async () => {
    const { team, connection } = await aConnectedTeam();
    const found = Array.from({ length: 60 }, (_, index) => named(`D${index}`));
    const raised = found.map(({ id }) => ({ id: '1', dealId: id, category: 'c', text: id, lang: 'de' }));
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await storeDeals(team, connection, index % 2 === 0 ? found : found.toReversed());
        await storeObjections(team, connection, index % 2 === 0 ? raised : raised.toReversed());
      }),
    );
    expect(await dealsOf(team)).toHaveLength(60);
    expect(await objectionsOf(team)).toHaveLength(60);
  });

  it('is all or nothing: a deal that can’t be stored prevents the others', async () => {
    const { team, connection } = await aConnectedTeam();
    for (const [wrong, why] of [
      [{ amount: '1,5' }, 'crm_deal_amount_check'],
      [{ currency: 'eur' }, 'crm_deal_currency_check'],
      [{ probability: 101 }, 'crm_deal_probability_check'],
    ] as const) {
      await expect(storeDeals(team, connection, [named('A'), named('B', wrong)])).rejects.toThrow(why);
    }
    expect(await dealsOf(team)).toEqual([]);
  });
});
