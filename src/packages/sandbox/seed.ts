import { z } from 'zod';
import { ConfigError } from '../../core/config-error.ts';
import { allEventTypes } from '../../core/events.ts';
import { forOperators } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { buildTeam, type TeamPlan } from '../../cli/demo/build-team.ts';
import { importStarterCatalog } from '../../modules/catalog/document.ts';
import { allScopes } from '../../core/scopes.ts';
import { toSnake } from '../../core/spelling.ts';
import { createKey } from '../../modules/keys/service.ts';
import { roster } from '../../modules/members/service.ts';
import { createEndpoint } from '../../modules/webhooks/service.ts';
import type { Actor, Platform, Team } from '../../platform/team.ts';
import { actIn } from '../../platform/team-row.ts';

/**
 * One team with a few weeks of work, which is quick to create. Its people, scores and cases are the same in every
 * sandbox. Its ids and secrets differ.
 */
const plan: TeamPlan = {
  name: 'Sandbox',
  domain: 'sandbox.example',
  language: 'en',
  plan: 'enterprise',
  seats: 20,
  rateLimit: limits.requestsPerTeamPerMinute,
  memberDetail: true,
  leaderboard: true,
  owner: { name: 'Olivia Owner', daysAgo: 30 },
  people: [
    { name: 'Adam Admin', daysAgo: 29, role: 'admin' },
    { name: 'Mia Berg', daysAgo: 28, externalId: 'S-1001' },
    { name: 'Noah Lang', daysAgo: 27, externalId: 'S-1002' },
    { name: 'Emma Stone', daysAgo: 21, externalId: 'S-1003' },
    { name: 'Liam Frost', daysAgo: 14 },
    { name: 'Ivy Invited', daysAgo: 1, invited: true },
  ],
};

const operator: Actor = { kind: 'operator' };

const SeededMember = z.object({
  member_id: z.string(),
  user_id: z.string().nullable(),
  email: z.string(),
  external_id: z.string().nullable(),
  role: z.string(),
  status: z.string(),
});

/** The facts about the seeded team that a customer's test needs. */
export const Seed = z.object({
  tenant_id: z.string(),
  /** A key with every scope. */
  api_key: z.string(),
  /** A key that may only read. */
  read_only_key: z.string(),
  sign_in: z.object({ email: z.string(), password: z.string() }),
  members: z.array(SeededMember),
  /** An id of each kind of resource, for a first request. */
  ids: z.record(z.string(), z.string()),
  /** The endpoint at the webhook target, with its secret; null without a target. */
  webhook_endpoint: z.object({ id: z.string(), url: z.string(), secret: z.string() }).nullable(),
});
export type Seed = z.output<typeof Seed>;

export interface Seeded {
  readonly seed: Seed;
  /** Some changes raise an event only if a key makes them. The sandbox triggers these events with this key. */
  readonly actingKeyId: string;
  readonly ownerId: string;
}

/**
 * The events of the seeded endpoint. Entries of the audit log are left out, because with them each change would be two
 * events.
 */
const usualTypes = allEventTypes.filter((type) => type !== 'audit.recorded');

/** Creating the team writes many rows, and a slow machine may take long. */
const transactionOptions = { timeout: 180_000 };

const addEndpoint = async (team: Team, target: string) => {
  const verdict = await team.platform.egress.vet(target);
  if (!verdict.allowed) throw new ConfigError(`--webhook-target: ${forOperators(verdict.reason)}`);
  const { id, url, secret } = await createEndpoint(team, { events: usualTypes, description: 'Sandbox' }, verdict);
  if (secret === undefined) throw new Error('the new endpoint was created without a secret');
  return { id, url, secret };
};

/** Creates the sandbox's team in an empty database. */
export const seed = async (platform: Platform, webhookTarget: string | undefined): Promise<Seeded> => {
  const built = await platform.database.transaction(async (tx) => {
    await importStarterCatalog(tx, platform);
    return buildTeam(tx, platform, plan);
  }, transactionOptions);
  const team = await actIn(platform, operator, built.tenant_id);
  const by = built.owner.member_id;
  const { keyId: actingKeyId } = await createKey(team, { name: 'Sandbox', by, scopes: allScopes });
  const endpoint = webhookTarget === undefined ? null : await addEndpoint(team, webhookTarget);
  const people = toSnake(await roster(team));
  const { owner, keys, ids } = built;
  return {
    actingKeyId,
    ownerId: owner.member_id,
    seed: {
      tenant_id: team.id,
      api_key: keys.all,
      read_only_key: keys.read_only,
      sign_in: { email: owner.email, password: owner.password },
      members: z.array(SeededMember).parse(people),
      ids,
      webhook_endpoint: endpoint,
    },
  };
};
