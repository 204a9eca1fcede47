import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { httpLimits } from '../../src/core/limits.ts';
import { stringify } from '../../src/core/json.ts';
import { aColleague, inTheApp } from '../support/app-caller.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const client = await useConnection(service.databaseUrl);

/** The budget of a page, with some room for the names of fields and for ids. */
const maxOfPage = 1.2 * 1024 * 1024;

interface Large {
  count: number;
  userId: string;
  isPrivate?: boolean;
  /** The number of characters in each of the two free-form fields. */
  size?: number;
}

/** Cases with contents of the maximum size, inserted directly. */
const largeCases = async ({ id }: TestTeam, { count, userId, isPrivate = false, size = 65_000 }: Large) => {
  await client.query(
    `insert into "case" (tenant_id, id, user_id, title, fields, external_ref, bytes, private, created_at, updated_at)
     select $1, gen_random_uuid(), $2, repeat('t', 200), body, body, 2 * octet_length(body) + 200, $3, now() - (n / 3) * interval '1 second', now()
       from (select json_build_object('a', string_agg(md5(random()::text), ''))::text as body from generate_series(1, $5::int / 32)) as made,
            generate_series(1, $4::int) n`,
    [id, userId, isPrivate, count, size],
  );
};

const Page = z.object({ data: z.array(z.object({ id: z.string() })), next_cursor: z.string().nullable() });

/** Reads a list to its end; returns the ids in order, and the size of the largest page. */
const walk = async (read: (cursor: string | undefined) => Promise<string>) => {
  const ids: string[] = [];
  let largest = 0;
  let pages = 0;
  let cursor: string | undefined;
  do {
    const text = await read(cursor);
    const page = Page.parse(JSON.parse(text));
    expect(page.data.length).toBeGreaterThan(0);
    ids.push(...page.data.map(({ id }) => id));
    largest = Math.max(largest, Buffer.byteLength(text));
    pages += 1;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { ids, largest, pages };
};

const query = (cursor: string | undefined) => (cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`);

const idsInOrder = async (where: string, values: unknown[]): Promise<string[]> => {
  const { rows } = await client.query<{ id: string }>(
    `select id from ${where} order by created_at desc, id desc`,
    values,
  );
  return rows.map(({ id }) => id);
};

describe('a page of a list ends at its budget of bytes', () => {
  it('with the largest cases: reading all pages finds each of 150 once, in order, and no answer exceeds the budget', async () => {
    const team = await aTeam(service);
    await largeCases(team, { count: 150, userId: team.owner.user_id });
    const found = await walk(async (cursor) => (await team.client.get(`/cases?limit=200${query(cursor)}`)).text);
    expect(found.ids).toEqual(await idsInOrder(`"case" where tenant_id = $1`, [team.id]));
    expect(found.largest).toBeLessThan(maxOfPage);
    // Pages have more than one row each: the budget is used.
    expect(found.pages).toBeLessThan(26);
  });

  it('with the largest private cases in the app', async () => {
    const team = await aTeam(service);
    const member = await aColleague(team);
    await largeCases(team, { count: 60, userId: member.userId, isPrivate: true });
    const { ownCases } = await inTheApp(team, member);
    const found = await walk(async (cursor) => stringify(await ownCases.list({ limit: 200, cursor })));
    expect(found.ids).toEqual(await idsInOrder(`"case" where tenant_id = $1`, [team.id]));
    expect(found.largest).toBeLessThan(maxOfPage);
  });

  it('with cases from before their size was limited, each larger than the share of a row', async () => {
    const team = await aTeam(service);
    await largeCases(team, { count: 9, userId: team.owner.user_id, size: 700_000 });
    const found = await walk(async (cursor) => (await team.client.get(`/cases?limit=200${query(cursor)}`)).text);
    expect(found.ids).toEqual(await idsInOrder(`"case" where tenant_id = $1`, [team.id]));
    expect(found.pages).toBe(9);
    expect(found.largest).toBeLessThan(httpLimits.answerBytes);
  });

  it('and with small cases has the requested number', async () => {
    const team = await aTeam(service);
    await largeCases(team, { count: 205, userId: team.owner.user_id, size: 64 });
    const first = Page.parse((await team.client.get('/cases?limit=200')).body);
    expect(first.data).toHaveLength(200);
    const rest = Page.parse((await team.client.get(`/cases?limit=200${query(first.next_cursor ?? '')}`)).body);
    expect([rest.data.length, rest.next_cursor]).toEqual([5, null]);
  });

  it('with long notes of assignments, even if JSON writes a character with six bytes; in the app with a filter, too', async () => {
    const team = await aTeam(service);
    await client.query(
      `insert into assignment (tenant_id, id, member_id, title, note, status, created_at, updated_at)
       select $1, gen_random_uuid(), $2, 'Price talk', repeat(case when n % 2 = 0 then E'\\x01' else '€' end, 20000),
              case when n % 3 = 0 then 'done' else 'open' end::assignment_status, now() - n * interval '1 second', now()
         from generate_series(1, 100) n`,
      [team.id, team.owner.member_id],
    );
    const ids = await idsInOrder('assignment where tenant_id = $1', [team.id]);
    const found = await walk(async (cursor) => (await team.client.get(`/assignments?limit=200${query(cursor)}`)).text);
    expect(found.ids).toEqual(ids);
    expect(found.largest).toBeLessThan(maxOfPage);

    const { assigning } = await inTheApp(team);
    const done = await idsInOrder(`assignment where tenant_id = $1 and status = 'done'`, [team.id]);
    const listed = [
      [ids, {}],
      [done, { status: 'done' as const }],
    ] as const;
    for (const [wanted, filter] of listed) {
      for (const read of [assigning.list, assigning.mine]) {
        const seen = await walk(async (cursor) => stringify(await read({ limit: 200, cursor, ...filter })));
        expect(seen.ids).toEqual(wanted);
        expect(seen.largest).toBeLessThan(maxOfPage);
      }
    }
  });

  it('with audit entries that have thousands of ids', async () => {
    const team = await aTeam(service);
    await client.query(
      `insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
       select $1, gen_random_uuid(), 'operator', 'policy.changed', 'team',
              jsonb_build_object('blocked', (select jsonb_agg(gen_random_uuid()) from generate_series(1, 2000))), now() - n * interval '1 second'
         from generate_series(1, 60) n`,
      [team.id],
    );
    const { audit } = await inTheApp(team);
    const found = await walk(async (cursor) => stringify(await audit.list({ limit: 200, cursor })));
    expect(found.ids).toEqual(await idsInOrder('audit_entry where tenant_id = $1', [team.id]));
    expect(found.largest).toBeLessThan(maxOfPage);
    const some = await walk(async (cursor) => stringify(await audit.list({ limit: 7, cursor })));
    expect(some.ids).toEqual(found.ids);
  });
});
