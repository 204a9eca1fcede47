import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { AnsweredRequest } from '../../src/modules/requests/writer.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';
import { patience } from './patience.ts';

// What the service has recorded: audit entries, events, and requests with keys.

/** The audit entries about a resource, the oldest first. */
export const auditEntriesOn = async ({ database }: TestService, team: { id: string }, targetId: string) => {
  const entries = await database.prisma.auditEntry.findMany({
    where: { tenantId: team.id, targetId },
    orderBy: { id: 'asc' },
  });
  return entries.map(({ action, actorKind, actorId, data, requestId }) => ({
    action,
    actor: [actorKind, actorId],
    data,
    requestId,
  }));
};

/** The data of a team's events of one type, the oldest first. */
export const eventDataOf = async ({ database }: TestService, team: { id: string }, type: string) => {
  const events = await database.prisma.webhookEvent.findMany({
    where: { tenantId: team.id, type },
    orderBy: { id: 'asc' },
  });
  return events.map(({ data }): unknown => JSON.parse(data));
};

/** An answered request, by default a successful one. */
export const anAnswer = (
  team: { id: string },
  keyId: string,
  said: Partial<AnsweredRequest> = {},
): AnsweredRequest => ({
  tenantId: team.id,
  keyId,
  requestId: randomUUID(),
  method: 'GET',
  route: '/users',
  status: 200,
  code: undefined,
  ms: 3.4,
  ...said,
});

/** Writes requests with a key of the team into the request log. */
export const theRequests = async (
  { requestLog }: TestService,
  team: { id: string },
  keyId: string,
  answers: readonly Partial<AnsweredRequest>[],
): Promise<void> => {
  for (const said of answers) requestLog.note(anAnswer(team, keyId, said));
  await requestLog.write();
};

/** A request with a key of the team that is in the request log; returns its request id. */
export const aLoggedRequest = async (service: TestService, team: TestTeam): Promise<string> => {
  const answer = anAnswer(team, (await team.aKey()).id);
  service.requestLog.note(answer);
  const where = { tenantId: team.id, requestId: answer.requestId };
  // What can't be written, for instance while no connection is free, waits for the next time.
  await vi.waitFor(async () => {
    await service.requestLog.write();
    await service.database.prisma.requestLogEntry.findFirstOrThrow({ where });
  }, patience);
  return answer.requestId;
};

/** The same; returns the id of its entry in the log. */
export const aLoggedEntry = async (service: TestService, team: TestTeam): Promise<string> => {
  const requestId = await aLoggedRequest(service, team);
  const where = { tenantId: team.id, requestId };
  return (await service.database.prisma.requestLogEntry.findFirstOrThrow({ where })).id;
};

/** A key with successful and failed requests in the log. */
export const aUsedKey = async (
  service: TestService,
  team: TestTeam,
  options?: Parameters<TestTeam['aKey']>[0],
): ReturnType<TestTeam['aKey']> => {
  const made = await team.aKey(options);
  await theRequests(service, team, made.id, [
    {},
    { status: 404, code: 'not_found', route: '/users/{member_id}' },
    { status: 429, code: 'rate_limited' },
    { status: 503, code: 'unavailable', method: 'POST', route: '/webhook-endpoints/{endpoint_id}/test' },
  ]);
  return made;
};
