import { anAssistantConnection } from './assistant-connections.ts';
import { aStoredProvider } from './company-rows.ts';
import { randomUUID } from 'node:crypto';
import { makeId } from '../../src/core/ids.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { aCombination } from './assignments.ts';
import { aPerson, aSignedInPerson } from './people.ts';
import type { TestService } from './service.ts';
import { aTeam, type TestTeam } from './team.ts';
import { withSql } from './postgres.ts';

/** A person whose data is in every place of a team that can hold personal data. */
export interface Everywhere {
  team: TestTeam;
  /** Texts that name only this person: name, address, and the ids of account, user and membership. */
  needles: Record<'name' | 'email' | 'personId' | 'userId' | 'memberId', string>;
}

/** A team with rows in every table. One active admin is named in every text that can name a person. */
export const aTeamWithEverything = async (
  service: TestService,
  {
    name = `Wilhelmine Sörgel-"Ödön ${randomUUID().slice(0, 8)}"`,
    email = `wilhelmine.${randomUUID().slice(0, 8)}@sörgel.example`,
  } = {},
): Promise<Everywhere> => {
  const combination = await aCombination(service);
  const team = await aTeam(service, { name: `The team of ${name}`, ownerName: 'Otto Owner' });
  const canonical = email.replace('sörgel', 'xn--srgel-jua');
  const { memberId, userId } = await aSignedInPerson(service, team, {
    role: 'admin',
    rights: ['schnittstellen'],
    email: canonical,
    name,
  });
  const { memberId: colleague, userId: colleagueUser } = await aPerson(team, {
    role: 'admin',
    name: 'Carla Colleague',
  });
  await team.anInvitedMember();
  const { personId } = await service.database.prisma.teamUser.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: userId } },
  });
  const mention = `${name.toUpperCase()} (${canonical}, ${email}, ${encodeURIComponent(canonical)}) ${userId} ${memberId}`;
  const json = JSON.stringify({
    text: mention,
    email: canonical,
    [canonical]: 1,
    name,
    list: [userId, memberId, personId],
    big: 1,
  }).replace('"big":1', '"big":12345678901234567890.10');
  const { client } = team;
  for (const [member, user] of [
    [memberId, userId],
    [colleague, colleagueUser],
  ] as const) {
    await anAssistantConnection(service, team, { memberId: member, userId: user, clientName: `Assistant of ${name}` });
  }
  await aStoredProvider(service, team);

  const wanted = { title: `For ${name}`.slice(0, 120), ...combination, note: mention };
  await client.post('/assignments', { member_id: memberId, ...wanted });
  await client.post(
    '/assignments',
    { member_id: colleague, ...wanted },
    { headers: { 'Idempotency-Key': `for ${canonical}` } },
  );
  const content = { title: `Case of ${name}`, persona_id: canonical, fields: JSON.parse(json), external_ref: { name } };
  await client.post('/cases', { user_id: userId, ...content });
  await client.post('/cases', { user_id: colleagueUser, ...content });
  await team.aKey({ by: memberId });

  await withSql(service, async (sql) => {
    const run = (text: string, ...values: unknown[]) => sql.query(text, values);
    const ids = Object.fromEntries(
      ['item', 'training', 'other', 'connection', 'deal', 'endpoint', 'event', 'delivery'].map((what) => [
        what,
        makeId(),
      ]),
    );
    const of = team.id;
    await run(`update api_key set name = $2 where tenant_id = $1`, of, `${name}'s key`);
    await run(
      `insert into catalog_item (id, tenant_id, dimension, key, name_de, name_en, created_at) values ($2, $1, 'situation', 'own', $3, $3, now())`,
      of,
      ids['item'],
      name,
    );
    await run(
      `insert into catalog_rule (id, tenant_id, kind, situation_id, item_id, created_at) values ($2, $1, 'never', $3, $4, now())`,
      of,
      makeId(),
      ids['item'],
      combination.personality_id,
    );
    await run(`insert into team_policy_block values ($1, $2, now())`, of, ids['item']);
    await run(
      `insert into member_policy_block values ($1, $2, $3, now()), ($1, $4, $3, now())`,
      of,
      memberId,
      ids['item'],
      colleague,
    );
    for (const [user, training] of [
      [userId, ids['training']],
      [colleagueUser, ids['other']],
    ]) {
      await run(
        `insert into training (tenant_id, id, user_id, status, source, external_ref, evaluated_at, finished_at, created_at, updated_at)
         values ($1, $2, $3, 'scored', 'app', $4, now(), now(), now(), now())`,
        of,
        training,
        user,
        json,
      );
      await run(
        `insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling, value_argument, total,
                                 tips, strongest, biggest_lever, created_at) values ($1, $2, 1, 2, 3, 4, 5, 3, $3, $4, $4, now())`,
        of,
        training,
        JSON.stringify([{ issue: mention, moment: name, principle: '', rewrite: '', impact: canonical }]),
        mention,
      );
      await run(
        `insert into "case" (tenant_id, id, user_id, title, fields, private, created_at, updated_at) values ($1, $2, $3, $4, $5, true, now(), now())`,
        of,
        makeId(),
        user,
        name,
        json,
      );
    }
    await run(
      `update assignment set completed_training_id = $2 where tenant_id = $1 and member_id = $3`,
      of,
      ids['training'],
      memberId,
    );
    await run(
      `update training set assignment_id = (select min(id::text)::uuid from assignment where tenant_id = $1 and member_id = $2)
                where tenant_id = $1 and id = $3`,
      of,
      memberId,
      ids['training'],
    );
    await run(
      `insert into waiting_invitation (tenant_id, id, email, role, invited_by, due_at, created_at)
       values ($1, $2, $3, 'member', $4, now(), now()), ($1, $5, 'waits-' || $1 || '@example.com', 'member', $6, now(), now())`,
      of,
      makeId(),
      canonical,
      colleagueUser,
      makeId(),
      userId,
    );
    await run(
      `insert into crm_connection (tenant_id, id, provider, failure_reason, created_at) values ($1, $2, 'feed', $3, now())`,
      of,
      ids['connection'],
      mention,
    );
    await run(`update crm_connection set label = $2, settings = $3 where tenant_id = $1`, of, name, json);
    await run(
      `insert into crm_run (tenant_id, id, connection_id, kind, started_at, ended_at, outcome, reason, reason_de)
       values ($1, $2, $3, 'full', now(), now(), 'failed', $4, $4)`,
      of,
      makeId(),
      ids['connection'],
      mention,
    );
    await run(
      `insert into version_notice values ($1, $2, 'v1', now()), ($1, $3, 'v1', now())`,
      of,
      userId,
      colleagueUser,
    );
    await run(
      `insert into crm_deal (tenant_id, id, connection_id, external_id, title, lost_reason, pipeline_id, stage_id, owner_user_id, created_at)
       values ($1, $2, $3, 'deal of ' || $4, $5, $5, $4, $5, $6, now())`,
      of,
      ids['deal'],
      ids['connection'],
      canonical,
      mention,
      userId,
    );
    await run(
      `insert into crm_objection (tenant_id, id, connection_id, deal_id, external_id, category, text, lang, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $5, now())`,
      of,
      makeId(),
      ids['connection'],
      ids['deal'],
      canonical,
      name,
      mention,
    );
    await run(
      `insert into webhook_endpoint (tenant_id, id, url, events, api_version, description, secret, created_at)
       values ($1, $2, 'https://hooks.example/', '{crm.sync.failed}', '2026-11', $3, '\\x00', now())`,
      of,
      ids['endpoint'],
      mention,
    );
    await run(`insert into webhook_event values ($1, $2, 'member.removed', $3, now())`, of, ids['event'], json);
    await run(
      `insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, status, next_try_at, response_excerpt, error, error_de,
         created_at)
       values ($1, $2, $3, $4, 'member.removed', 'failed', now() + interval '1 day', $5, $5, $5, now())`,
      of,
      ids['delivery'],
      ids['endpoint'],
      ids['event'],
      mention,
    );
    await run(
      `insert into webhook_attempt (tenant_id, id, delivery_id, number, url, request_headers, response_headers, response_excerpt, error, error_de,
         started_at)
       values ($1, $2, $3, 1, $4, $5, $5, $6, $6, $6, now())`,
      of,
      makeId(),
      ids['delivery'],
      `https://hooks.example/?of=${encodeURIComponent(canonical)}`,
      json,
      mention,
    );
    await run(
      `insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at) values ($1, $2, $3, now() + interval '1 day')`,
      of,
      ids['delivery'],
      ids['endpoint'],
    );
    await run(
      `insert into webhook_quarter_hour (tenant_id, endpoint_id, start, delivered, duration, attempts) values ($1, $2, current_date, true, 1, 1)`,
      of,
      ids['endpoint'],
    );
    await run(`insert into webhook_team_day (tenant_id, day) values ($1, current_date)`, of);
    await run(
      `insert into webhook_endpoint_day (tenant_id, endpoint_id, day) values ($1, $2, current_date)`,
      of,
      ids['endpoint'],
    );
    await run(
      `insert into webhook_check (tenant_id, id, endpoint_id, results, created_at) values ($1, $2, $3, $4, now())`,
      of,
      makeId(),
      ids['endpoint'],
      json,
    );
    await run(
      `insert into passkey (id, person_id, name, credential_id, public_key, counter, transports, created_at)
       values ($1, $2, $3, $4, 'key', 0, '{}', now())`,
      makeId(),
      personId,
      `Laptop of ${name}`,
      randomUUID(),
    );
    await run(
      `insert into two_factor (id, person_id, secret, backup_codes) values ($1, $2, 'sealed', 'sealed')`,
      makeId(),
      personId,
    );
    await run(
      `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, target_id, data, address, created_at)
       values ($1, $2, 'person', $3, 'member.role_changed', 'member', $4, $5, '203.0.113.9', now())`,
      of,
      makeId(),
      userId,
      memberId,
      json,
    );
  });
  const mail = {
    recipient: canonical,
    language: 'de',
    kind: 'password_reset',
    content: { subject: mention, text: mention, html: '' },
  } as const;
  await service.database.transaction((tx) => queueMails(tx, { platform: service.platform, id: null }, [mail]));
  await service.database.transaction((tx) =>
    queueMails(tx, { platform: service.platform, id: team.id }, [{ ...mail, kind: 'team_received' }]),
  );
  await service.database.prisma.mail.updateMany({ where: { recipient: canonical }, data: { error: mention } });
  await service.requestLog.write();
  await service.database.prisma.requestLogEntry.updateMany({
    where: { tenantId: team.id },
    data: {
      path: `/api/public/v1/users/${memberId}`,
      query: `search=${encodeURIComponent(canonical)}&user_id=${userId}`,
      userAgent: mention,
      problem: { detail: mention, errors: [{ path: [userId], code: 'custom', message: mention }] },
    },
  });
  return { team, needles: { name, email: canonical, personId, userId, memberId } };
};

/** The owner ends the person's membership. */
export const removeFrom = async ({ team, needles }: Everywhere): Promise<void> =>
  removeMember({ ...(await team.acting()), actor: { kind: 'person', userId: team.owner.user_id } }, needles.memberId);
