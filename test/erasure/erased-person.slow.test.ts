import { describe, expect, it } from 'vitest';
import { record } from '../../src/modules/audit/service.ts';
import { eraseAll, eraseFormerMember, erasePerson } from '../../src/modules/erasure/service.ts';
import { teamTables } from '../../src/modules/export/tables.ts';
import { deleteOldAnswers } from '../../src/modules/idempotency/service.ts';
import { makeBrowser, aPerson, testPassword } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { aWorld } from '../support/world.ts';
import { withSql } from '../support/postgres.ts';
import { asOwner, erase, inOtherForms, linesNaming, operator, pendingOf, removeFrom } from './erasing.ts';

const service = await useTestService({ own: true });

describe('an erased person', () => {
  it('is named nowhere in the database: neither by name nor by address nor by an id', async () => {
    const world = await aWorld(service);
    const bystander = await aWorld(service, { name: 'Berta Bystander' });
    await service.platform.storage.written(); // what the requests above have stored is counted a little later
    const before = await linesNaming(service, inOtherForms(world));
    const others = (await linesNaming(service, [bystander.team.id, ...inOtherForms(bystander)])).toSorted();
    // Checks the test itself: the person was named in nearly every table.
    const tables = new Set(before.map((line) => line.split(': ')[0]));
    for (const { table } of teamTables.filter(({ searched }) => searched.length > 0)) {
      const rows = [...tables].filter((name) => name?.replaceAll('"', '').startsWith(`public.${table}`));
      expect(rows, table).not.toEqual([]);
    }
    for (const table of [
      'person',
      'session',
      'two_factor',
      'passkey',
      'credential',
      'verification',
      'team_user',
      'member',
      'waiting_invitation',
      'mail',
    ]) {
      expect([...tables]).toContain(`public.${table}`);
    }

    await erase(service, world.needles.email);
    expect(await linesNaming(service, inOtherForms(world))).toEqual([]);
    expect(others.length).toBeGreaterThan(before.length / 2);
    expect((await linesNaming(service, [bystander.team.id, ...inOtherForms(bystander)])).toSorted()).toEqual(others);
  });

  it('leaves the facts: events, deliveries, attempts and the audit log keep their rows, with a placeholder', async () => {
    const { team, needles } = await aWorld(service);
    const { prisma } = service.database;
    const of = { where: { tenantId: team.id } };
    const counts = () =>
      Promise.all([
        prisma.webhookEvent.count(of),
        prisma.webhookDelivery.count(of),
        prisma.webhookAttempt.count(of),
        prisma.requestLogEntry.count(of),
        prisma.crmDeal.count(of),
        prisma.apiKey.count(of),
        prisma.case.count({ where: { tenantId: team.id, private: false } }),
      ]);
    await removeFrom({ team, needles });
    // Somebody has tried to sign in as them.
    const signingIn = { ...(await team.acting()), actor: { kind: 'service' as const }, address: '203.0.113.9' };
    const tried = { action: 'sign_in.locked', target: { type: 'member', id: needles.memberId } } as const;
    await service.database.transaction(async (tx) => record(tx, signingIn, tried));
    const before = await counts();
    const entries = await prisma.auditEntry.count(of);
    await eraseFormerMember(await asOwner(team), needles.memberId);
    await eraseAll(service.platform, await pendingOf(service, team.id));
    expect(await counts()).toEqual(before);
    expect(await prisma.auditEntry.count(of)).toBe(entries + 1);

    const placeholder = await prisma.member.findFirstOrThrow({
      where: { tenantId: team.id, email: { endsWith: '@erased.invalid' } },
    });
    const event = await prisma.webhookEvent.findFirstOrThrow({
      where: { tenantId: team.id, type: 'member.removed' },
      orderBy: { id: 'asc' },
    });
    expect(JSON.parse(event.data)).toMatchObject({
      list: [placeholder.userId, placeholder.id, expect.any(String)],
      name: '[erased]',
    });
    const feed = await team.client.get('/events?limit=200');
    expect(feed.text).toContain(placeholder.userId);
    for (const needle of [needles.email, needles.memberId]) expect(feed.text).not.toContain(needle);
    const acted = await prisma.auditEntry.findMany({ where: { tenantId: team.id, actorId: placeholder.userId } });
    expect(acted.length).toBeGreaterThan(0);
    expect(acted.map(({ address }) => address).filter((address) => address !== null)).toEqual([]);
    const tries = await prisma.auditEntry.findMany({ where: { tenantId: team.id, action: 'sign_in.locked' } });
    expect(tries.map(({ targetId, address }) => [targetId, address])).toContainEqual([placeholder.id, null]);
    expect(tries.map(({ address }) => address)).not.toContain('203.0.113.9');
    expect(await prisma.apiKey.count({ where: { tenantId: team.id, createdBy: placeholder.id } })).toBe(1);
    const { body } = await team.client.get(`/cases?user_id=${String(placeholder.userId)}`);
    expect(body['data']).toMatchObject([{ user_id: placeholder.userId, title: 'Case of [erased]' }]);
  });

  it.each([
    ['a common name', 'Anna Zorn'],
    ['two letters', 'a b'],
    ['sixty words', 'a b c d e f '.repeat(10).trim()],
  ])('is erased from a case whose free-form fields repeat the name up to their limit: %s', async (_, name) => {
    const team = await aTeam(service);
    const email = anEmail('often');
    await aPerson(team, { email, name });
    const text = `${name} `.repeat(63_000 / (name.length + 1));
    const created = await team.client.post('/cases', {
      user_id: team.owner.user_id,
      title: 'Long',
      fields: { text },
      external_ref: { text },
    });
    expect(created.status).toBe(201);
    // Time that grows with the square of the length would exceed the time limit of the test.
    await erase(service, email);
    const { body } = await team.client.get(`/cases/${String(created.body['id'])}`);
    const erased = { text: text.replaceAll(name, '[erased]') };
    expect(body).toMatchObject({ fields: erased, external_ref: erased });
  });

  it('loses trainings, evaluations, assignments and private cases', async () => {
    const { team, needles } = await aWorld(service);
    await erase(service, needles.email);
    const { prisma } = service.database;
    const of = { where: { tenantId: team.id } };
    expect(await prisma.training.count(of)).toBe(1);
    expect(await prisma.evaluation.count(of)).toBe(1);
    expect(await prisma.assignment.count(of)).toBe(1);
    expect(await prisma.case.count({ where: { tenantId: team.id, private: true } })).toBe(1);
  });

  it('leaves the numbers in other people’s JSON unchanged', async () => {
    const { team, needles } = await aWorld(service);
    await erase(service, needles.email);
    const [row] = await withSql(
      service,
      async (sql) =>
        (
          await sql.query<{ ref: string }>('select external_ref::text as ref from training where tenant_id = $1', [
            team.id,
          ])
        ).rows,
    );
    expect(row?.ref).toContain('12345678901234567890.10');
    expect(row?.ref).toContain('[erased]');
  });

  it('is signed out at once and can’t sign in again, and the address is free', async () => {
    const team = await aTeam(service);
    const { email, userId } = await aPerson(team);
    const { prisma } = service.database;
    const { personId } = await prisma.teamUser.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: team.id, id: userId } },
    });
    const browser = makeBrowser(service);
    expect((await browser.signIn(email, testPassword)).status).toBe(200);
    const me = () => browser.query('api/account.me', {}, { team: team.id });
    const of = { where: { personId } };
    const signIns = async () => [await prisma.session.count(of), await prisma.credential.count(of)];
    expect([await browser.isSignedIn(), (await me()).status, await signIns()]).toEqual([true, 200, [1, 1]]);
    const before = new Map(browser.cookies);
    await erasePerson(service.platform, operator, email);
    // Checked before any request: the first request of a person without a team would delete the session itself.
    expect(await signIns()).toEqual([0, 0]);
    expect([await browser.isSignedIn(), (await me()).status]).toEqual([false, 401]);
    // The browser may have deleted its cookies; a thief would still have them.
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect((await me()).status).toBe(401);
    const { request_id: _, ...refused } = (await makeBrowser(service).signIn(email, testPassword)).problem;
    const { request_id: __, ...unknown } = (await makeBrowser(service).signIn(anEmail('nobody'), testPassword)).problem;
    expect(refused).toEqual(unknown);
    expect((await team.client.post('/users', { email })).status).toBe(201);
  });

  it('may be one who was only invited', async () => {
    const team = await aTeam(service);
    const { email } = await team.anInvitedMember();
    await erase(service, String(email));
    expect(await linesNaming(service, [String(email)])).toEqual([]);
  });

  it('is in no stored answer for an Idempotency-Key after 24 hours', async () => {
    const team = await aTeam(service);
    const email = anEmail('kept');
    await team.client.post('/users', { email }, { headers: { 'Idempotency-Key': 'an invitation' } });
    await erase(service, email);
    const stored = () => service.database.prisma.idempotencyRecord.count({ where: { tenantId: team.id } });
    await deleteOldAnswers(service.platform);
    expect(await stored()).toBe(1);
    service.clock.forward(24 * 3_600_000);
    await deleteOldAnswers(service.platform);
    service.clock.forward(-24 * 3_600_000);
    expect(await stored()).toBe(0);
  });
});

describe('texts that name another person', () => {
  it('stay unchanged: longer addresses, longer names, and a name that is a word', async () => {
    const team = await aTeam(service);
    const email = `mark@${team.id}.example`;
    const { memberId } = await aPerson(team, { email, name: 'Mark' });
    const kept = [
      `anna.mark@${team.id}.example`,
      `mark@${team.id}.example.org`,
      `a-mark@${team.id}.example`,
      'Mark this as done, Denmark',
    ];
    const { body } = await team.client.post('/cases', {
      user_id: team.owner.user_id,
      title: 'A talk',
      persona_id: 'Mark',
      fields: { kept, gone: [`Write to <MARK@${team.id}.example>.`, 'mark', memberId] },
    });
    await erase(service, email);
    const found = await team.client.get(`/cases/${String(body['id'])}`);
    expect(found.body).toMatchObject({
      title: 'A talk',
      persona_id: '[erased]',
      fields: { kept, gone: ['Write to <[erased]>.', '[erased]', expect.not.stringMatching(memberId)] },
    });
  });
});

it('an erasure searches every text of every table with a team’s rows', async () => {
  const texts = await withSql(service, async (sql) => {
    // Texts of every type, including citext, domains, JSON and lists of them.
    const { rows } = await sql.query<{ name: string }>(
      `select k.relname || '.' || a.attname as name
         from pg_attribute a join pg_class k on k.oid = a.attrelid join pg_type t on t.oid = a.atttypid
              left join pg_type item on item.oid = t.typelem and t.typcategory = 'A'
        where k.relnamespace = 'public'::regnamespace and k.relkind = 'r'
          and a.attnum > 0 and not a.attisdropped
          and (coalesce(item.typcategory, t.typcategory) = 'S' or coalesce(item.typname, t.typname) in ('json', 'jsonb', 'xml', 'hstore'))
          and (k.relname = 'team' or exists (
                select from pg_attribute o where o.attrelid = k.oid and o.attname = 'tenant_id' and not o.attisdropped))`,
    );
    return rows.map(({ name }) => name);
  });
  const searched = new Set(teamTables.flatMap((table) => table.searched.map((column) => `${table.table}.${column}`)));
  expect(texts.filter((one) => !searched.has(one)).toSorted()).toEqual(Object.keys(notSearched).toSorted());
});

/** Text columns that an erasure does not search, with the reason. */
const notSearched = {
  'api_key.prefix': 'random',
  'api_key.scopes': 'fixed words',
  'api_key_prefix.prefix': 'random',
  'assistant_connection.code_challenge': 'a hash',
  'audit_entry.action': 'a fixed word',
  'audit_entry.address': 'the address from which the person acted is deleted',
  'audit_entry.target_type': 'a fixed word',
  'catalog_item.icon': 'a fixed word',
  'catalog_item.key': 'a name in files that never changes',
  'company_domain.domain': 'a domain of the company',
  'company_sign_in.client_id': 'given by the provider to the team',
  'company_sign_in.issuer': 'the address of the provider',
  'crm_connection.provider': 'a fixed word',
  'crm_connection.url': 'refused while it holds the address',
  'crm_deal.amount': 'a number',
  'crm_deal.currency': 'a fixed word',
  'crm_run.cursor': 'the CRM’s own, of a sync that runs; emptied at its end',
  'deletion.resource': 'a fixed word',
  'directory_user.external_id': 'what the directory said of the person is deleted',
  'erasure.emails': 'the row goes with its last step',
  'erasure.names': 'the row goes with its last step',
  'erasure.position': 'the row goes with its last step',
  'erasure.step': 'a fixed word',
  'event_feed_entry.type': 'a fixed word',
  'idempotency_record.key': 'rows with such a key are deleted',
  'mail.kind': 'a fixed word',
  'mail.recipient': 'mails to the person are deleted',
  'member.company_subject': 'the person’s memberships are deleted',
  'member.directory_name': 'the person’s memberships have none from the beginning',
  'member.email': 'the person’s memberships are deleted',
  'member.external_id': 'the person’s memberships have none from the beginning',
  'member.invited_name': 'the person’s memberships have none from the beginning',
  'member.rights': 'fixed words',
  'request_log_entry.address': 'that of a program with a key',
  'request_log_entry.code': 'a fixed word',
  'request_log_entry.method': 'a fixed word',
  'request_log_entry.route': 'the route as declared, without ids',
  'request_quarter_hour.code': 'a fixed word',
  'request_quarter_hour.method': 'a fixed word',
  'request_quarter_hour.route': 'the route as declared, without ids',
  'version_notice.version': 'a fixed word',
  'waiting_invitation.email': 'invitations to the person are deleted',
  'waiting_invitation.external_id': 'invitations to the person are deleted',
  'waiting_invitation.name': 'invitations to the person are deleted',
  'waiting_invitation.refusal': 'a fixed word',
  'webhook_delivery.event_type': 'a fixed word',
  'webhook_endpoint.api_version': 'a fixed word',
  'webhook_endpoint.events': 'fixed words',
  'webhook_endpoint.header_names': 'names of HTTP headers',
  'webhook_endpoint.url': 'refused while it holds the address',
  'webhook_event.type': 'a fixed word',
};
