import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { expect } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/modules/crm/service.ts';
import { addActivePerson } from '../../src/modules/members/invitations.ts';
import { aStoredProvider, makeBrowser } from '../support/people.ts';
import { testSecret, type TestService } from '../support/service.ts';
import { anEmail, type TestTeam } from '../support/team.ts';
import { totp } from '../support/authenticators.ts';

/** Every column with a secret: plain, hashed or encrypted. */
export const secretColumns = [
  'api_key.secret_hash',
  'assistant_connection.access_hash',
  'assistant_connection.client_hash',
  'assistant_connection.code_hash',
  'assistant_connection.refresh_hash',
  'company_sign_in.client_secret',
  'credential.password',
  'crm_connection.credentials',
  'idempotency_record.answer',
  'idempotency_record.fingerprint',
  'invitation.token_hash',
  'mail.body',
  'session.token',
  'two_factor.backup_codes',
  'two_factor.secret',
  'verification.identifier',
  'webhook_endpoint.headers',
  'webhook_endpoint.secret',
];

/** Columns that look like secrets but are not. */
export const noSecrets = {
  'passkey.credential_id': 'a name for the key, which the browser sends',
  'passkey.public_key': 'public: the authenticator keeps the private key',
  'credential.provider_id': 'a fixed word',
  'credential.account_id': 'the id of the account',
  'session.ip_address': 'an address',
  'session.user_agent': 'the name of a browser',
  'verification.value': 'the id of the account that owes the second factor',
};

/**
 * The columns of the database that may hold secrets: bytes, texts of the tables about signing in, and texts with names
 * of secrets.
 */
export const columnsLikeSecrets = async (sql: pg.Client): Promise<string[]> => {
  const { rows } = await sql.query<{ name: string }>(
    `select k.relname || '.' || a.attname as name
       from pg_attribute a join pg_class k on k.oid = a.attrelid join pg_type t on t.oid = a.atttypid
            left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
      where k.relnamespace = 'public'::regnamespace and k.relkind = 'r'
        and a.attnum > 0 and not a.attisdropped
        and (coalesce(e.typname, t.typname) = 'bytea'
             or coalesce(e.typcategory, t.typcategory) in ('S', 'U')
                and coalesce(e.typname, t.typname) not in ('uuid', 'inet')
                and (k.relname in ('credential', 'session', 'two_factor', 'verification')
                     or a.attname ~ 'secret|token|hash|password|credential|codes|sealed|encrypted'))`,
  );
  return rows.map(({ name }) => name).toSorted();
};

/** The values of the secret columns, in each form in which an export could contain them. */
export const storedSecrets = async (sql: pg.Client): Promise<{ column: string; forms: string[] }[]> => {
  const found: { column: string; forms: string[] }[] = [];
  for (const name of secretColumns) {
    const [table = '', column = ''] = name.split('.');
    const { rows } = await sql.query<{ value: string | Buffer }>(
      `select "${column}" as value from "${table}" where length("${column}") > 8`,
    );
    for (const { value } of rows) {
      const forms =
        typeof value === 'string'
          ? [value, JSON.stringify(value).slice(1, -1)]
          : (['hex', 'base64', 'base64url'] as const).map((encoding) => value.toString(encoding));
      found.push({ column: name, forms });
    }
  }
  return found;
};

const Answered = z.looseObject({ secret: z.string() });
const Started = z.looseObject({ secret: z.string(), backup_codes: z.array(z.string()) });

const linkToken = (text: string): string => /\/(?:reset-password|invitations?)\/([^\s?]{20,})/.exec(text)?.[1] ?? '';

/** Gives a team a secret of each kind, created as the service does, and returns them in plain text. */
export const giveSecrets = async (service: TestService, team: TestTeam): Promise<Record<string, string>> => {
  const random = () => randomBytes(18).toString('base64url');
  const [password, crmToken, clientSecret, header] = [random(), random(), random(), random()];
  await aStoredProvider(service, team, clientSecret);
  const key = await team.aKey();
  const endpoint = await team.client.post(
    '/webhook-endpoints',
    { url: 'https://hooks.example.com/secret', events: ['member.joined'], headers: { 'X-Gateway-Key': header } },
    { headers: { 'Idempotency-Key': random() } },
  );
  await connect(
    await team.acting(),
    { provider: 'feed', url: 'https://93.184.216.34/', token: crmToken },
    { tries: false },
  );

  const email = anEmail('secretive');
  await addActivePerson(await team.acting(), { email, role: 'member', rights: [], password, name: 'S' });
  const browser = makeBrowser(service);
  expect((await browser.signIn(email, password)).status).toBe(200);
  const factor = Started.parse((await browser.mutate('entrance/account.startTwoFactor', { password })).data);
  const confirmed = await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(factor.secret) });
  expect(confirmed.status).toBe(200);
  // A person whose sign-in still lacks the second factor.
  const halfway = makeBrowser(service);
  expect((await halfway.signIn(email, password)).data).toEqual({ next: 'second_factor' });

  const mailed = async (recipient: string) => (await service.mailsTo(recipient))[0]?.body.text ?? '';
  await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
  const reset = linkToken(await mailed(email));
  const invited = await team.anInvitedMember();
  const invitation = linkToken(await mailed(String(invited.email)));
  const cookies = [...browser.cookies, ...halfway.cookies].map(([name, value], n) => [`cookie ${n} ${name}`, value]);
  return {
    'secret of the service': testSecret,
    key: key.text,
    'secret part of the key': key.text.split('_').at(-1) ?? '',
    'secret of the endpoint': Answered.parse(endpoint.body).secret,
    'header of the endpoint': header,
    'token of the CRM': crmToken,
    'client secret': clientSecret,
    password,
    'second factor': factor.secret,
    ...Object.fromEntries(factor.backup_codes.map((code, n) => [`backup code ${n}`, code])),
    'reset link': reset,
    'invitation link': invitation,
    ...Object.fromEntries(cookies),
  };
};
