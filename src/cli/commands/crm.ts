import process from 'node:process';
import type { Readable } from 'node:stream';
import { Option, type Command } from '@commander-js/extra-typings';
import { forOperators } from '../../core/language.ts';
import { crmLimits } from '../../core/limits.ts';
import { answer as answered, toSnake } from '../../core/spelling.ts';
import {
  connect,
  disconnect,
  getConnection,
  listConnections,
  pauseConnection,
  resumeConnection,
  syncNow,
  teamOfConnection,
  type Connection,
} from '../../modules/crm/service.ts';
import { providerNames } from '../../modules/crm/providers/provider.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';
import { answering, answeringInTeam, answerInTeam, operator, type AnswerCommand } from '../command.ts';
import { Unsuccessful } from '../failure.ts';
import { readSecret } from '../secret-file.ts';
import { connectionName, syncInterval } from '../values.ts';

const { interval } = crmLimits;

const teamWith = async (platform: Platform, connection: string): Promise<Team> =>
  actIn(platform, operator, await teamOfConnection(platform, connection));

const shown = (connection: Connection) =>
  toSnake({
    connectionId: connection.connectionId,
    provider: connection.provider,
    name: connection.label,
    url: connection.url,
    status: connection.status,
    lastSyncAt: connection.lastSyncAt,
    lastOutcome: connection.lastOutcome,
    lastReason: connection.lastReason,
    nextSyncAt: connection.nextSyncAt,
    deals: connection.deals,
    objections: connection.objections,
  });

/** Why nothing may be sent to the address of a connection, with the setting that can allow it. */
const refusalOfAddress = async (team: Team, id: string): Promise<string | undefined> => {
  const { url } = await getConnection(team, id);
  const verdict = url === null ? undefined : await team.platform.egress.vet(url);
  return verdict && !verdict.allowed ? forOperators(verdict.reason) : undefined;
};

/** Runs work that SIGINT and SIGTERM stop. A stopped sync is continued by a worker. */
const untilInterrupted = async <Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
  const stopping = new AbortController();
  const stop = (name: NodeJS.Signals) => stopping.abort(new Error(`interrupted by ${name}`));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.once(name, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
};

export const crmCommands = (program: Command, answer: AnswerCommand, stdin: Readable): void => {
  const group = program.command('crm').description('connections of teams to their CRMs');

  answeringInTeam(group, 'connect', 'connect a team to its CRM; the first sync is due at once', 'which team')
    .addOption(new Option('--provider <provider>', 'which CRM').choices(providerNames).makeOptionMandatory())
    .option('--url <url>', 'the feed’s address; for other providers it replaces their public address')
    .requiredOption('--token-file <file>', 'the file with the access token; - reads it from the standard input')
    .option('--name <name>', 'what the team calls the connection', connectionName)
    .option(
      '--every <seconds>',
      `between two syncs, ${interval.min} to ${interval.max}`,
      syncInterval,
      interval.default,
    )
    .action((options) =>
      answerInTeam(answer, options, async (team) => {
        const { provider, url, name: label = null, every: intervalSeconds } = options;
        const token = await readSecret(options.tokenFile, { stdin, field: 'token_file' });
        return answered(connect(team, { provider, label, url, token, intervalSeconds }, { tries: false }));
      }),
    );

  answeringInTeam(group, 'list', 'a team’s connections, oldest first', 'of which team').action((options) =>
    answerInTeam(answer, options, async (team) => (await listConnections(team)).map(shown)),
  );

  answering(group, 'sync', 'run a sync now and wait until it ends')
    .requiredOption('--connection <id>', 'the connection’s id')
    .action(async (options) => {
      let isOk = false;
      await untilInterrupted((signal) =>
        answer(options, async ({ platform }) => {
          const team = await teamWith(platform, options.connection);
          const { outcome, deals, objections, ...ended } = await syncNow(team, options.connection, signal);
          isOk = outcome === 'ok';
          const refusal = isOk ? undefined : await refusalOfAddress(team, options.connection);
          return { outcome: isOk ? 'ok' : 'failed', deals, objections, reason: refusal ?? ended.reason };
        }),
      );
      if (!isOk) throw new Unsuccessful();
    });

  const changing = (name: string, summary: string, status: string, change: (team: Team, id: string) => Promise<void>) =>
    answering(group, name, summary)
      .requiredOption('--connection <id>', 'the connection’s id')
      .action((options) =>
        answer(options, async ({ platform }) => {
          await change(await teamWith(platform, options.connection), options.connection);
          return { connection_id: options.connection, status };
        }),
      );

  changing('pause', 'pause a connection; its deals and objections stay', 'paused', pauseConnection);
  changing('resume', 'resume a connection and start a sync', 'active', resumeConnection);
  changing('disconnect', 'delete a connection with its deals and objections', 'disconnected', disconnect);
};
