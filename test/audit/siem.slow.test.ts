import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { makeSecret, publicEventId, sealSecret } from '../../src/deliveries/message.ts';
import { sealHeaders } from '../../src/deliveries/team-headers.ts';
import { record } from '../../src/modules/audit/service.ts';
import { anElastic, datadog } from '../support/siem.ts';
import { certificates } from '../support/certificates.ts';
import { aCase } from '../support/practice.ts';
import { startServiceProcess } from '../support/production-service.ts';
import { aReceiver } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { deliveriesTo } from '../support/worker.ts';
import { endpointRow } from '../support/webhooks.ts';

const service = await useTestService({ own: true });

const keys = 10;
const changes = 1_000;
const program = 'audit-to-elastic.mts';

/**
 * The program of the documentation in a folder of its own, with the client as a customer installs it. It runs more often
 * than one key may, so each run takes the next one.
 */
const aReader = async (url: string, ownKeys: readonly string[]) => {
  const folder = throwAwayFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(process.cwd(), 'dist', 'client'), join(folder, 'node_modules', 'team-customer-api-client'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await cp(join('src', 'server', 'developers', 'examples', program), join(folder, program));
  let runs = 0;
  return async () => {
    const API_KEY = ownKeys[(runs += 1) % ownKeys.length] ?? '';
    const env = { BASE_URL: service.origin, API_KEY, ELASTIC_URL: url, ELASTIC_API_KEY: 'key' };
    await promisify(execFile)(process.execPath, [program], { cwd: folder, env });
  };
};

it('a SIEM that reads by API and one that gets webhooks have the same entries, each once, after 1,000 changes, long transactions and a killed worker', async () => {
  const team = await aTeam(service);
  const acting = await team.acting();
  const cases = await Promise.all(
    Array.from({ length: keys }, () => aCase(service, team, { userId: team.owner.user_id })),
  );
  const { answer, logs } = datadog('dd-key');
  let wasKilled = false;
  let arrived = 0;
  // The worker is killed while it sends.
  const receiver = await aReceiver({
    answer: async (request) => ((arrived += 1) > 100 && !wasKilled ? 'hang' : answer(request)),
  });
  const row = endpointRow(service, team, { events: ['audit.recorded'] });
  const headers = sealHeaders(service.platform.vault, row.id, new Map([['DD-API-KEY', 'dd-key']]));
  const secret = sealSecret(service.platform.vault, row.id, makeSecret());
  await service.database.prisma.webhookEndpoint.create({
    data: { ...row, url: `${receiver.url}/api/v2/logs`, secret, headers, headerNames: ['DD-API-KEY'] },
  });
  const elastic = await anElastic('key');
  const aReadingKey = async () => (await team.aKey({ scopes: ['audit:export'] })).text;
  const read = await aReader(elastic.url, await Promise.all(Array.from({ length: keys }, aReadingKey)));
  const aWorker = async () => {
    const worker = await startServiceProcess({
      databaseUrl: service.databaseUrl,
      role: 'worker',
      environment: { WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8', WEBHOOK_CA_FILE: (await certificates()).caFile() },
    });
    onTestFinished(async () => void (await worker.stop()));
    return worker;
  };
  const first = await aWorker();
  const clients = await Promise.all(Array.from({ length: keys }, () => team.aClient()));

  let changed = 0;
  const change = async (at: number) => {
    for (let made = 0; made < changes / keys; made += 1) {
      const { status } = await (clients[at] ?? team.client).patch(`/cases/${String(cases[at])}`, { title: `${made}` });
      expect(status).toBe(200);
      changed += 1;
    }
  };
  /** Entries that can be read only seconds after their time, while the program reads what came later. */
  const commitLate = async () => {
    const until = changed + 200;
    await service.database.transaction(async (tx) => {
      record(tx, acting, { action: 'team.exported', target: { type: 'team', id: team.id }, data: { late: makeId() } });
      await tx.team.findFirst({ where: { id: team.id } });
      await expect.poll(() => changed >= until || changed === changes).toBe(true);
    });
  };
  const over = new AbortController();
  const reading = (async () => {
    while (!over.signal.aborted) await read();
  })();
  const changing = Promise.all([...cases.keys()].map(change));
  const late = (async () => {
    for (let made = 0; made < 3; made += 1) await commitLate();
  })();
  await receiver.untilReceived(103);
  first.child.kill('SIGKILL');
  await first.ended;
  wasKilled = true;
  // Its leases end.
  const leased = {
    where: { tenantId: team.id, endpointId: row.id, claimId: { not: null } },
    data: { dueAt: new Date() },
  };
  expect((await service.database.prisma.webhookWaiting.updateMany(leased)).count).toBeGreaterThan(0);
  const second = await aWorker();
  await Promise.all([changing, late]);
  await expect
    .poll(async () => (await deliveriesTo(service, row.id)).filter(({ status }) => status !== 'ok').length)
    .toBe(0);
  over.abort();
  await reading;
  await read();
  await second.stop();

  const made = await service.database.prisma.auditEntry.findMany({
    where: { tenantId: team.id, action: { in: ['case.changed', 'team.exported'] } },
    select: { id: true },
  });
  expect(made).toHaveLength(changes + 3);
  const wanted = made.map(({ id }) => id).toSorted();
  const isWanted = new Set(wanted);
  const byWebhook = Map.groupBy(logs, ({ id }) => String(id));
  const sent = wanted.filter((id) => byWebhook.has(publicEventId(id)));
  expect(sent).toEqual(wanted);
  expect([...elastic.documents.keys()].filter((id) => isWanted.has(id)).toSorted()).toEqual(wanted);
  for (const id of wanted) {
    const [event] = byWebhook.get(publicEventId(id)) ?? [];
    const { '@timestamp': _time, names: _names, actor, target, ...entry } = Object(elastic.documents.get(id));
    expect(Object(event).data).toEqual({
      team_id: team.id,
      ...entry,
      actor: { kind: actor.kind, id: actor.id },
      target: { type: target.type, id: target.id },
    });
  }
});
