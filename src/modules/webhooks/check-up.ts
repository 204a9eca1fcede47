import { z } from 'zod';
import { later, minutesToMs } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { fail } from '../../core/problem.ts';
import { documentationPath } from '../../core/product.ts';
import { endpointLimits } from '../../core/limits.ts';
import { jobs, type SteppedTask } from '../../platform/jobs.ts';
import { inTransaction, apiIsOn, type Team } from '../../platform/team.ts';
import { lockTeamShared, requireApi } from '../../platform/team-row.ts';
import { unsealSecret } from '../../deliveries/message.ts';
import { unsealHeaders } from '../../deliveries/team-headers.ts';
import { record } from '../audit/service.ts';
import { countInHour } from '../windows/store.ts';
import { checkTask, gradeOf, judge, outcomeOf, probeNames, probes, requestOf, type ProbeName } from './probes.ts';
import type { WebhookCheck } from './schema.ts';
import { getEndpoint, lockEndpoint } from './service.ts';
import { checks, type CheckKey, type CheckResult, type CheckRow } from './store.ts';

// The check-up of a receiver. A request starts it, and a job sends its probes one after the other, through the same
// address guard as deliveries. Probes are no deliveries: they have no retries and do not affect the endpoint's health.
//
//   (new) ──▶ running ──last probe sent, or `valid` not answered──▶ completed
//               └──not complete within `checkMinutes`──▶ failed (this follows from its age: nothing is written)

const begunAfter = (now: Date): Date => later(now, -minutesToMs(endpointLimits.checkMinutes));

const statusOf = ({ createdAt, completedAt }: CheckRow, now: Date): WebhookCheck['status'] => {
  if (completedAt) return 'completed';
  return createdAt > begunAfter(now) ? 'running' : 'failed';
};

/** A probe, and the reaction of the receiver if the probe was sent. */
export const presentProbe = (
  probe: ProbeName,
  result: CheckResult | undefined,
  { publicUrl, language }: { publicUrl: string; language: Language },
) => {
  const judgement = result && judge(result);
  return {
    probe,
    expected: probes[probe].expected,
    outcome: result ? outcomeOf(result) : null,
    verdict: judgement?.verdict ?? null,
    responseCode: result?.code ?? null,
    responseMs: result?.ms ?? null,
    error: (language === 'de' ? result?.errorDe : null) ?? result?.error ?? null,
    advice: judgement?.advice?.[language] ?? null,
    docsUrl: judgement?.section ? `${publicUrl}${documentationPath}/${judgement.section}` : null,
  };
};

const presentCheck = ({ platform }: Team, language: Language, row: CheckRow) => {
  const { publicUrl, clock } = platform;
  const status = statusOf(row, clock.now());
  return {
    id: row.id,
    status,
    grade: status === 'completed' ? gradeOf(row.results.map((result) => judge(result).verdict)) : null,
    createdAt: row.createdAt,
    completedAt: row.completedAt,
    probes: probeNames.map((name) =>
      presentProbe(
        name,
        row.results.find(({ probe }) => probe === name),
        { publicUrl, language },
      ),
    ),
  };
};

/** Starts a check of an endpoint's receiver, whatever the endpoint's status. */
export const startCheck = (team: Team, endpointId: string, language: Language) =>
  inTransaction(team, async (tx) => {
    requireApi(await lockTeamShared(tx, team));
    const endpoint = await lockEndpoint(tx, team, endpointId);
    const now = team.platform.clock.now();
    if (await checks.isRunning(tx, team, endpoint.id, begunAfter(now))) {
      fail('conflict', { detail: webhookMessages.checkRunning, isRunning: true });
    }
    const max = endpointLimits.checksPerTeamPerHour;
    await countInHour(tx, team, { subject: `checks ${team.id}`, max, detail: webhookMessages.checks(max) });
    const check = await checks.insert(tx, team, { id: makeId(), endpointId: endpoint.id, createdAt: now });
    await jobs.add(tx, checkUp.job({ tenantId: team.id, id: check.id }));
    record(tx, team, {
      action: 'webhook_endpoint.checked',
      target: { type: 'webhook_endpoint', id: endpoint.id },
      data: { checkId: check.id },
    });
    return presentCheck(team, language, check);
  });

/** The last checks of an endpoint, the newest first. */
export const listChecks = async (
  team: Team,
  { endpointId, limit }: { endpointId: string; limit: number },
  language: Language,
) => {
  const { id } = await getEndpoint(team, endpointId);
  const rows = await checks.list(team.platform.database, team, id, limit);
  return rows.map((row) => presentCheck(team, language, row));
};

/** Sends the probes of a check one after the other, and records the reactions of the receiver. */
export const checkUp: SteppedTask<CheckKey> = {
  name: checkTask,
  payload: z.object({ tenantId: z.uuid(), id: z.uuid() }),
  job: ({ tenantId, id }) => ({
    task: checkTask,
    payload: { tenantId, id },
    key: `check ${id}`,
    flags: [checkTask],
  }),
  next: async (platform, { tenantId, id }) => {
    const { database, vault, clock, signingClock = clock, egress } = platform;
    const check = await checks.started(database, { tenantId, id });
    // If the team has lost the API, no more probes are sent. A check that has failed is not continued.
    if (!check || !apiIsOn(check.endpoint.team) || check.createdAt <= begunAfter(clock.now())) return false;
    const { endpointId, createdAt: startedAt, results: known } = check;
    const probe = probeNames[known.length];
    if (probe === undefined) return false;

    const { url, apiVersion } = check.endpoint;
    const secret = unsealSecret(vault, endpointId, check.endpoint.secret);
    const signedAt = signingClock.now();
    const signing = { tenantId, endpointId, url, secret, apiVersion, checkId: id, startedAt, signedAt };
    const { headers, ...request } = requestOf(probe, signing);
    const ofTeam = unsealHeaders(vault, endpointId, check.endpoint.headers);
    const sent = { ...request, headers: { ...Object.fromEntries(ofTeam), ...headers } };
    const { code, ms, error, errorDe, fault } = await egress.post(sent);
    // The service itself could not send the probe, for instance because it stops. This is no result about the receiver.
    if (fault === 'service') return 'later';

    const result: CheckResult = { probe, code, ms, error, errorDe: errorDe ?? null };
    // If a receiver does not answer the first probe, the other seven are not sent.
    const isLast = probe === probeNames.at(-1) || (probe === 'valid' && outcomeOf(result) === 'no_answer');
    const completedAt = isLast ? clock.now() : null;
    await checks.addResult(database, { tenantId, id }, { known, result, completedAt });
    return !isLast;
  },
};
