import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { isRecord } from '../../src/core/json.ts';
import { aCombination, aScoredTraining } from '../support/practice.ts';
import { aDispatcher } from '../support/worker.ts';
import { useServiceWithReceiver } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { patience } from '../support/patience.ts';

const start = promisify(execFile);

const { receiver, service } = await useServiceWithReceiver();

/** The steps that succeeded. After a `goto`, the report has the other steps one level deeper. */
const succeeded = (report: unknown): string[] => {
  if (Array.isArray(report)) return report.flatMap(succeeded);
  if (!isRecord(report)) return [];
  const own = report['status'] === 'success' && typeof report['stepId'] === 'string' ? [report['stepId']] : [];
  return [...own, ...Object.values(report).flatMap(succeeded)];
};

/** Runs a workflow as a reader can, and returns the steps that succeeded. */
const follow = async (workflow: string, inputs: Record<string, string>): Promise<string[]> => {
  const report = join(throwAwayFolder(), 'report.json');
  const command = ['respect', 'docs/workflows.arazzo.yaml', '--workflow', workflow, '--json-output', report];
  await start(process.execPath, [join('node_modules', '.bin', 'redocly'), ...command], {
    env: {
      PATH: '',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      REDOCLY_CLI_RESPECT_SERVER: `api=${service.baseUrl}`,
      REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs),
    },
  });
  return succeeded(JSON.parse(await readFile(report, 'utf8')));
};

it('receive-events: creates an endpoint, sends it a ping, and reads the delivery', async () => {
  const team = await aTeam(service);
  const { text: apiKey } = await team.aKey({ scopes: ['webhooks:manage'] });
  await aDispatcher(service, { egress: service.platform.egress });
  const steps = await follow('receive-events', { apiKey, receiverUrl: `${receiver.url}/hooks` });
  expect(new Set(steps)).toEqual(new Set(['createEndpoint', 'sendPing', 'readDelivery']));
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['ping']);
});

it('sync-incrementally: reads trainings page by page, then the evaluated ones with their evaluations', async () => {
  const team = await aTeam(service, { members: 1 });
  const user_id = team.members[0]?.user_id ?? expect.unreachable();
  for (let count = 0; count < 3; count += 1) await aScoredTraining(service, team, { userId: user_id });
  const { text: apiKey } = await team.aKey({ scopes: ['trainings:read', 'evaluations:read'] });
  const since = new Date(Date.now() - 300_000).toISOString();
  const read = (pageSize: string) => follow('sync-incrementally', { apiKey, since, pageSize });
  expect(await Promise.all([read('2'), read('50')])).toEqual([
    ['readNewTrainings', 'readNextPage', 'readEvaluated'],
    ['readNewTrainings', 'readEvaluated'],
  ]);
});

it('assign-and-wait: gives a member an assignment, and ends when it is done', async () => {
  await aCombination(service);
  const team = await aTeam(service, { members: 1 });
  const memberId = team.members[0]?.id ?? expect.unreachable();
  const { text: apiKey } = await team.aKey({ scopes: ['catalog:read', 'assignments:read', 'assignments:write'] });
  const following = follow('assign-and-wait', { apiKey, memberId });
  // Not through the API: while redocly starts, polling would use up the key's budget.
  const { id } = await vi.waitFor(
    async () => service.database.prisma.assignment.findFirstOrThrow({ where: { tenantId: team.id } }),
    patience,
  );
  await team.client.patch(`/assignments/${id}`, { status: 'done' });
  expect(new Set(await following)).toEqual(new Set(['readCatalog', 'assign', 'waitForCompletion']));
});
