import { describe, expect, it } from 'vitest';
import { daysToMs, later, secondsToMs } from '../../../src/core/clock.ts';
import { defaultSettings, type ProviderSettings } from '../../../src/modules/crm/providers/provider.ts';
import { connect } from '../../../src/modules/crm/service.ts';
import { certificates } from '../../support/certificates.ts';
import { aSync } from '../../support/crm.ts';
import { localFeeds, aReceiver, type AnswerProgress } from '../../support/receiver.ts';
import { useTestService } from '../../support/service.ts';
import { aTeam, type TestTeam } from '../../support/team.ts';
import { FakeHubSpot } from './fake-hubspot.ts';
import { FakePipedrive } from './fake-pipedrive.ts';

const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

/** The functions that both fakes have. */
interface FakeCrm {
  readonly token: string;
  readonly answer: AnswerProgress;
  /** A lost deal; its reason is an objection. */
  put(id: number, title: string, lost_reason: string | null, at: Date): void;
  delete(id: number, at: Date): void;
  addOwner(email: string): void;
}

const aHubSpot = (): FakeCrm => {
  const crm = new FakeHubSpot();
  return {
    token: crm.token,
    answer: crm.answer,
    put: (id, dealname, closed_lost_reason, at) =>
      void crm.addDeal(
        String(id),
        { dealname, closed_lost_reason, amount: '18400.50', dealstage: 'closedlost', hubspot_owner_id: '7' },
        at,
      ),
    delete: (id, at) => {
      const deal = crm.deals.get(String(id));
      if (deal) deal.archivedAt = at;
    },
    addOwner: (email) => void crm.owners.push({ id: '7', email }),
  };
};

const aPipedrive = (): FakeCrm => {
  const crm = new FakePipedrive();
  return {
    token: crm.token,
    answer: crm.answer,
    put: (id, title, lost_reason, at) =>
      void crm.addDeal(
        id,
        { title, lost_reason, value: 'exactly:18400.50', currency: 'EUR', status: 'lost', owner_id: 7 },
        at,
      ),
    delete: (id, at) => void crm.addDeal(id, { status: 'deleted' }, at),
    addOwner: (email) => void crm.users.push({ id: 7, email, timezone_name: 'Europe/Berlin' }),
  };
};

const dealsOf = (team: TestTeam) =>
  service.database.prisma.crmDeal.findMany({ where: { tenantId: team.id }, orderBy: { externalId: 'asc' } });
const objectionsOf = (team: TestTeam) =>
  service.database.prisma.crmObjection.findMany({ where: { tenantId: team.id }, orderBy: { text: 'asc' } });
const failuresOf = (team: TestTeam) =>
  service.database.prisma.webhookEvent.findMany({ where: { tenantId: team.id, type: 'crm.sync.failed' } });

const createConnection = async (
  provider: 'hubspot' | 'pipedrive',
  { token, answer }: Pick<FakeCrm, 'token' | 'answer'>,
  settings?: ProviderSettings,
) => {
  const team = await aTeam(service, { members: 1 });
  const server = await aReceiver({ answer });
  const wanted = { provider, url: server.url, token, settings };
  const { connectionId: id } = await connect(await team.acting(), wanted, { tries: false });
  return { team, id };
};

it('notes of Pipedrive are objections of their deals, and are deleted with the note in the daily full sync', async () => {
  const crm = new FakePipedrive();
  const start = later(service.clock.now(), -secondsToMs(3_600));
  for (let number = 1; number <= 50; number += 1) {
    crm.addDeal(number, {}, start);
    crm.addNote(number, number, `Einwand: Nummer ${number}`, start);
  }
  const { team, id } = await createConnection('pipedrive', crm, { ...defaultSettings, notePrefix: 'Einwand:' });
  expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', kind: 'full', deals: 50, objections: 50 });
  crm.notes.delete(7);
  service.clock.forward(daysToMs(1));
  expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', kind: 'full', objections: 49 });
  const texts = (await objectionsOf(team)).map(({ text }) => text);
  expect(texts).toHaveLength(49);
  expect(texts).not.toContain('Nummer 7');
});

describe.each([
  ['hubspot', aHubSpot],
  ['pipedrive', aPipedrive],
] as const)('a connection to %s', (provider, open) => {
  const aConnection = (crm: FakeCrm) => createConnection(provider, crm);

  it('stores deals, changes, deletions, and the current objections', async () => {
    const crm = open();
    const { team, id } = await aConnection(crm);
    const [member] = team.members;
    const start = later(service.clock.now(), -secondsToMs(3_600));
    crm.addOwner(member?.email?.toUpperCase() ?? '');
    crm.put(1, 'One', 'Zu teuer', start);
    crm.put(2, 'Two', 'Keine Zeit', start);
    crm.put(3, 'Three', null, start);

    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', kind: 'full', deals: 3, objections: 2 });
    const first = await dealsOf(team);
    expect(first).toMatchObject(
      ['One', 'Two', 'Three'].map((title) => ({
        title,
        amount: '18400.50',
        currency: 'EUR',
        outcome: 'lost',
        ownerUserId: member?.user_id,
      })),
    );
    expect((await objectionsOf(team)).map(({ text }) => text)).toEqual(['Keine Zeit', 'Zu teuer']);

    service.clock.forward(secondsToMs(900));
    const changedAt = later(service.clock.now(), -secondsToMs(300));
    crm.put(1, 'One, changed', 'Viel zu teuer', changedAt);
    crm.put(2, 'Two', null, changedAt);
    crm.delete(3, changedAt);
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', kind: 'incremental', deals: 2, deleted: 1 });
    const second = await dealsOf(team);
    expect(second.map(({ id: dealId, title }) => [dealId, title])).toEqual([
      [first[0]?.id, 'One, changed'],
      [first[1]?.id, 'Two'],
    ]);
    // Objections that a deal no longer has are deleted by the daily full sync.
    expect((await objectionsOf(team)).map(({ text }) => text)).toEqual(['Keine Zeit', 'Viel zu teuer']);

    service.clock.forward(secondsToMs(900));
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', deals: 0, objections: 0, deleted: 0 });

    service.clock.forward(daysToMs(1));
    expect(await aSync(service, team, id)).toMatchObject({ outcome: 'ok', kind: 'full', deals: 2, deleted: 0 });
    expect((await objectionsOf(team)).map(({ text }) => text)).toEqual(['Viel zu teuer']);
    expect(await failuresOf(team)).toEqual([]);
  });
});
