import { daysToMs, later, minutesToMs } from '../../../src/core/clock.ts';
import { makeId, makeIdAt } from '../../../src/core/ids.ts';
import { makeSecret } from '../../../src/modules/keys/service.ts';
import type { LoggedProblem } from '../../../src/modules/requests/schema.ts';
import { aCrmConnection, aDeal, anObjection } from '../../support/crm.ts';
import { aDelivery, anAttempt, anEndpoint, anEvent } from '../../support/webhooks.ts';
import type { AppTest } from './app.ts';
import { aKnownTeam } from './known-team.ts';

// The known team with programs: keys, endpoints, CRM connections and requests in each state. No two values are the same.

/** The team, and the names of its ids. */
export const aKnownTeamWithPrograms = async (app: AppTest, settings: Parameters<typeof aKnownTeam>[1]) => {
  const known = await aKnownTeam(app, settings);
  const { team, now, ada, fred } = known;
  const { service } = app;
  const { prisma } = service.database;
  const { id: tenantId, owner } = team;
  const daysAgo = (days: number): Date => later(now, -daysToMs(days));
  const names = new Map(known.names);

  // ── Keys
  const keyOf = async (name: string, more: object): Promise<string> => {
    const { prefix, secretHash } = makeSecret();
    const id = makeId();
    const key = { tenantId, id, prefix, secretHash, name, createdBy: owner.member_id, scopes: ['trainings:read'] };
    await prisma.apiKey.create({ data: { ...key, createdAt: daysAgo(60), ...more } });
    await prisma.apiKeyPrefix.create({ data: { prefix, tenantId, keyId: id } });
    names.set(id, `${name.toUpperCase()}-KEY`);
    names.set(prefix, `${name.toUpperCase()}-PREFIX`);
    return id;
  };
  const key = await keyOf('warehouse', {
    scopes: ['users:read', 'users:write', 'trainings:read'],
    allowedIps: ['192.0.2.0/24', '198.51.100.7'],
    createdBy: ada,
    createdAt: daysAgo(70),
    expiresAt: daysAgo(-80),
    lastUsedAt: daysAgo(2),
  });
  await keyOf('found', { createdBy: fred, createdAt: daysAgo(71), lastUsedAt: daysAgo(5), reportedAt: daysAgo(1) });
  const next = await keyOf('next', { createdAt: daysAgo(3) });
  const replaced = { createdAt: daysAgo(72), expiresAt: daysAgo(-4), rotatedToId: next, lastUsedAt: daysAgo(6) };
  await keyOf('replaced', replaced);
  await keyOf('revoked', { createdAt: daysAgo(73), revokedAt: daysAgo(7) });
  await keyOf('expired', { createdAt: daysAgo(74), expiresAt: daysAgo(8) });
  for (const { prefix } of await prisma.apiKey.findMany({ where: { tenantId } }))
    if (!names.has(prefix)) names.set(prefix, 'OTHER-PREFIX');
  for (const [days, requests, limited, refused, failed] of [
    [2, 41, 3, 5, 2],
    [9, 300, 0, 0, 0],
  ] as const)
    await prisma.apiKeyDay.create({
      data: { tenantId, keyId: key, day: daysAgo(days), requests, limited, refused, failed },
    });

  // ── The request log
  const requestOf = async (name: string, minutes: number, more: object): Promise<void> => {
    const createdAt = later(now, -minutesToMs(minutes));
    const id = makeIdAt(createdAt);
    const one = {
      tenantId,
      id,
      keyId: key,
      requestId: makeId(),
      method: 'GET',
      route: '/users',
      status: 200,
      createdAt,
    };
    await prisma.requestLogEntry.create({ data: { ...one, durationMs: minutes * 3, ...more } });
    names.set(id, `REQUEST-${name}`);
  };
  await requestOf('A', 5, { path: '/v1/users', query: 'limit=7', address: '192.0.2.8', userAgent: 'warehouse/1.2' });
  await requestOf('B', 6, {
    method: 'POST',
    route: '/assignments',
    status: 422,
    code: 'validation_error',
    path: '/v1/assignments',
    address: '192.0.2.9',
    userAgent: 'warehouse/1.3',
    problem: {
      detail: 'A field is wrong.',
      errors: [{ path: ['member_id'], in: 'body', code: 'invalid_format', message: 'There is no such member.' }],
    } satisfies LoggedProblem,
  });
  await requestOf('C', 7, {
    method: 'PATCH',
    route: '/cases/{case_id}',
    status: 503,
    code: 'unavailable',
    path: '/v1/cases/x',
  });
  await requestOf('D', 8, { status: 429, code: 'rate_limited', count: 31, path: '/v1/users' });
  await requestOf('E', 9, { route: null, status: 404, code: 'not_found', path: '/v1/unknown' });

  // ── Webhooks
  const endpointOf = async (name: string, wanted: object, more: object): Promise<string> => {
    const id = await anEndpoint(service, team, wanted);
    const url = `https://${name.toLowerCase()}.example/hooks`;
    await prisma.webhookEndpoint.update({ where: { tenantId_id: { tenantId, id } }, data: { url, ...more } });
    names.set(id, `${name}-ENDPOINT`);
    return id;
  };
  const events = ['training.completed', 'member.joined'] as const;
  const endpoint = await endpointOf(
    'GOOD',
    { description: 'Warehouse', events: [...events], lastSuccessAt: daysAgo(1) },
    { createdAt: daysAgo(61), headerNames: ['X-Team'] },
  );
  const failing = { failingSince: daysAgo(2), failedAgainAt: daysAgo(1), lastSuccessAt: daysAgo(3) };
  await endpointOf('FAILING', { ...failing, description: 'Chat' }, { createdAt: daysAgo(62) });
  await endpointOf('PAUSED', { status: 'disabled_failures', failingSince: daysAgo(4) }, { createdAt: daysAgo(63) });
  await endpointOf('OFF', { status: 'disabled' }, { createdAt: daysAgo(64), apiVersion: '2026-11' });
  const eventId = await anEvent(service, team, { data: { training_id: known.training }, at: daysAgo(11) });
  names.set(eventId, 'EVENT');
  const deliveryOf = async (name: string, wanted: object, more: object = {}): Promise<string> => {
    const id = await aDelivery(service, team, { endpointId: endpoint, ...wanted });
    await prisma.webhookDelivery.update({ where: { tenantId_id: { tenantId, id } }, data: more });
    names.set(id, `${name}-DELIVERY`);
    return id;
  };
  await deliveryOf('WAITING', { type: 'member.joined' }, { createdAt: daysAgo(10) });
  await deliveryOf('OK', { status: 'ok' }, { createdAt: daysAgo(12), responseMs: 71 });
  await deliveryOf('FAILED', { status: 'failed', attempt: 3, type: 'member.joined' }, { createdAt: daysAgo(13) });
  const gaveUp = await deliveryOf('ENDED', { status: 'gave_up', eventId, attempt: 3 }, { createdAt: daysAgo(14) });
  await anAttempt(service, team, { deliveryId: gaveUp, number: 1, code: null, at: daysAgo(14) });
  await anAttempt(service, team, { deliveryId: gaveUp, number: 2, code: 502, at: daysAgo(13) });
  // The newest is open on the page. Its answer is hidden, or was too much to be stored.
  await prisma.webhookAttempt.create({
    data: {
      tenantId,
      id: makeId(),
      deliveryId: gaveUp,
      number: 3,
      url: 'https://example.com/third',
      requestHeaders: { 'X-Third': 'yes' },
      responseCode: 503,
      responseMs: 33,
      memberDetail: true,
      startedAt: daysAgo(12),
    },
  });

  // ── CRM
  const connectionOf = async (label: string, wanted: object): Promise<string> => {
    const id = await aCrmConnection(service, team, { label, createdAt: daysAgo(65), ...wanted });
    names.set(id, `${label.toUpperCase()}-CONNECTION`);
    return id;
  };
  const credentials = Uint8Array.of(0);
  const times = { lastSyncedAt: daysAgo(2), lastFullAt: daysAgo(5) };
  const connection = await connectionOf('Sales', { credentials, intervalSeconds: 1800, ...times });
  const refused = { lastFailedAt: daysAgo(3), failureReason: 'The CRM has rejected the token.' };
  await connectionOf('Refused', { provider: 'pipedrive', status: 'credentials_refused', credentials, ...refused });
  await connectionOf('Paused', { provider: 'salesforce', status: 'paused', credentials });
  await connectionOf('Bare', { provider: 'feed', url: 'https://feed.example/deals' });
  for (const [days, more] of [
    [5, { kind: 'full', outcome: 'ok', onDemand: true, pages: 3, deals: 17, objections: 6, deleted: 1 }],
    [4, { kind: 'incremental', outcome: 'failed', reason: 'The CRM is away.', pages: 2, deals: 0 }],
    [2, { kind: 'incremental', outcome: 'ok', pages: 1, deals: 4, objections: 2 }],
  ] as const) {
    const startedAt = daysAgo(days);
    const endedAt = later(startedAt, 42_000);
    const id = makeIdAt(startedAt);
    await prisma.crmRun.create({ data: { tenantId, id, connectionId: connection, startedAt, endedAt, ...more } });
  }
  const synced = { syncedAt: daysAgo(2), updatedAt: daysAgo(2), createdAt: daysAgo(5) };
  const deal = await aDeal(service, team, connection, {
    title: 'Roof of the north hall',
    externalId: 'D-1',
    amount: '125000.50',
    currency: 'EUR',
    closeDate: daysAgo(-21),
    probability: 65,
    ownerUserId: owner.user_id,
    lastActivityAt: daysAgo(9),
    ...synced,
  });
  names.set(deal, 'DEAL');
  const lost = { title: 'Windows', externalId: 'D-2', outcome: 'lost', lostReason: 'Too late.' } as const;
  await aDeal(service, team, connection, { ...lost, amount: '900', currency: 'CHF', ...synced });
  await aDeal(service, team, connection, { externalId: 'D-3', outcome: 'won', ...synced });
  await anObjection(service, team, deal, { category: 'trust', text: 'Who are you?', lang: 'en', ...synced });

  // ── The company account and the directory
  const written = { createdAt: daysAgo(66), updatedAt: daysAgo(66) };
  const provider = { issuer: 'https://login.example.com/north', clientId: 'client-19', clientSecret: credentials };
  await prisma.companySignIn.create({ data: { tenantId, ...provider, testedAt: daysAgo(16), ...written } });
  const domain = { tenantId, createdAt: daysAgo(66) };
  await prisma.companyDomain.create({ data: { ...domain, domain: 'north.example', provenAt: daysAgo(15) } });
  await prisma.companyDomain.create({ data: { ...domain, domain: 'open.example' } });

  // ── The audit log: each kind of actor
  for (const [days, entry] of [
    [
      4,
      {
        actorKind: 'key',
        actorId: key,
        action: 'member.external_id_changed',
        address: '192.0.2.31',
        requestId: makeId(),
      },
    ],
    [5, { actorKind: 'operator', action: 'team.changed', data: { seats: { from: 20, to: 25 } } }],
    [6, { actorKind: 'service', action: 'webhook_endpoint.paused', address: null }],
  ] as const) {
    const of = { tenantId, id: makeId(), targetType: 'member', targetId: fred, createdAt: daysAgo(days) };
    await prisma.auditEntry.create({ data: { ...of, ...entry } });
  }
  return { ...known, names };
};
