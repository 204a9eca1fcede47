import { describe, expect, it } from 'vitest';
import { loadQueries } from '../../scripts/statements/defined.ts';
import { flawsOfPlacement } from '../../scripts/statements/placement.ts';
import { refusedFlaws, tenantFlaws } from '../../scripts/statements/tenants.ts';
import { useConnection, useDatabase } from '../support/postgres.ts';
import { neverDistributed, severalTeams } from './several-teams.ts';

// What lets the service run on a distributed database without another version of it: the schema and each statement keep
// to one team.

const { url } = await useDatabase();
const client = await useConnection(url);

/** The flaws of the schema after some SQL, which is undone. */
const schemaFlawsAfter = async (sql: string): Promise<string[]> => {
  await client.query('begin');
  try {
    await client.query(sql);
    return await flawsOfPlacement(client);
  } finally {
    await client.query('rollback');
  }
};

describe('the schema', () => {
  it('has nothing that needs the rows of several teams', async () => {
    expect(await flawsOfPlacement(client)).toEqual([]);
  });

  it.each<[what: string, sql: string, flaw: string]>([
    [
      'a unique index without the team',
      'create unique index violation on api_key (prefix)',
      'the index violation is unique without the team',
    ],
    [
      'a primary key without the team',
      'create table violation (tenant_id uuid not null, id uuid primary key)',
      'the index violation_pkey is unique without the team',
    ],
    [
      'a table of unknown place',
      'create table violation (id uuid primary key)',
      'violation has no team in each row: is it of another place?',
    ],
    [
      'a team that may be null',
      'create table violation (tenant_id uuid, id uuid)',
      'violation has no team in each row: is it of another place?',
    ],
    [
      'a reference without the team',
      `create table violation (tenant_id uuid not null, id uuid, other uuid, unique (tenant_id, id), primary key (tenant_id, id),
         constraint violating foreign key (other, id) references violation (tenant_id, id))`,
      'the reference violating is without the team',
    ],
    [
      'a reference that follows a changed key',
      `alter table training drop constraint training_tenant_id_user_id_fkey, add constraint violating
         foreign key (tenant_id, user_id) references team_user (tenant_id, id) on update cascade`,
      'the reference violating changes rows when a key changes, or removes the team from rows',
    ],
    [
      'a reference from a table of the first machine',
      'alter table api_key_prefix add constraint violating foreign key (tenant_id, key_id) references api_key (tenant_id, id)',
      'the reference violating is between tables of different places',
    ],
    [
      'a trigger',
      `create function violate() returns trigger language plpgsql as 'begin return new; end';
       create trigger violation before insert on "case" for each row execute function violate()`,
      'the table case has the trigger violation',
    ],
    [
      'a function that takes a row',
      `create function violate("case") returns integer language sql as 'select 1'`,
      'the function violate has rows of case as an argument or result',
    ],
  ])('is refused with %s', async (_what, sql, flaw) => {
    expect(await schemaFlawsAfter(sql)).toEqual([flaw]);
  });
});

describe('a named query', () => {
  it('has a condition on one team for each table of teams, except for those listed with a reason', async () => {
    const queries = (await loadQueries()).filter(({ name }) => !name.startsWith('test.'));
    const found = queries.filter(({ text }) => tenantFlaws(text).length > 0);
    expect(found.map(({ name }) => name).toSorted()).toEqual([...severalTeams].toSorted());
  });

  it('locks, limits and passes on to an insert rows of one team only, with two exceptions', async () => {
    const queries = (await loadQueries()).filter(({ name }) => !name.startsWith('test.'));
    const found = queries.filter(({ text }) => refusedFlaws(text).length > 0);
    expect(found.map(({ name }) => name).toSorted()).toEqual(neverDistributed);
  });

  it.each<[what: string, sql: string, flaws: string[]]>([
    ['no condition', 'select id from member where id = $1', ['member has no condition on the team']],
    ['the team’s own table', 'select name from team where name = $1', ['team has no condition on the team']],
    [
      'several teams',
      'select id from member where tenant_id = any ($1::uuid[])',
      ['member has no condition on the team'],
    ],
    ['one of two', 'select 1 from member where tenant_id = $1 or id = $2', ['member has no condition on the team']],
    [
      'a join without the team',
      'select t.id from training t join evaluation e on e.training_id = t.id where t.tenant_id = $1',
      ['evaluation has no condition on the team'],
    ],
    [
      'a subquery without the team',
      'select id from member m where tenant_id = $1 and exists (select from training t where t.user_id = m.user_id)',
      ['training has no condition on the team'],
    ],
    [
      'a subquery by the team of the row around it',
      'select 1 from member m where m.tenant_id = $1 and exists (select from training t where t.tenant_id = m.tenant_id)',
      ['training has no condition on the team'],
    ],
    [
      'a query of WITH without the team',
      'with found as (delete from "case" where id = $2 returning id) select id from member where tenant_id = $1',
      ['case has no condition on the team'],
    ],
    [
      'the other half of a union',
      'select id from member where tenant_id = $1 union all select id from training where id = $2',
      ['training has no condition on the team'],
    ],
    [
      'a lock over teams',
      'select id from webhook_waiting where due_at < $1 for update skip locked',
      ['locks rows of webhook_waiting of several teams', 'webhook_waiting has no condition on the team'],
    ],
    [
      'a limit for each row of a list of teams',
      `select found.id from unnest($1::uuid[]) as wanted (tenant_id)
        cross join lateral (select id from member m where m.tenant_id = wanted.tenant_id limit 1) as found`,
      ['limits rows of member in a lateral query of several teams', 'member has no condition on the team'],
    ],
    [
      'another source of the team than the table that it reads',
      `insert into crm_objection (tenant_id, deal_id) select $1, d.id from crm_deal d where d.tenant_id = $1`,
      ['inserts into crm_objection without a given team'],
    ],
    [
      'rows of several teams',
      `insert into audit_entry (tenant_id, id) select tenant_id, id from jsonb_to_recordset($1) as row (tenant_id uuid, id uuid)`,
      ['inserts into audit_entry without a given team'],
    ],
    [
      'rows that another part of the statement passes on',
      `with gone as (delete from "case" where tenant_id = $1 returning id)
       insert into deletion (tenant_id, id) select $1, id from gone`,
      ['passes rows on to an insert into deletion'],
    ],
    [
      'rows that a subquery takes from another part of the statement',
      `with gone as (delete from "case" where tenant_id = $1 returning id)
       insert into deletion (tenant_id, id) select $1, id from (select id from gone) as one`,
      ['passes rows on to an insert into deletion'],
    ],
    [
      'places of rows',
      'delete from "case" where tenant_id = $1 and ctid = any (array(select ctid from "case" where tenant_id = $1))',
      ['uses ctid, which is of one machine'],
    ],
  ])('is refused with %s', (_what, sql, flaws) => {
    expect(tenantFlaws(sql)).toEqual(flaws);
  });

  it.each<[what: string, sql: string]>([
    ['its team', 'select id from member where tenant_id = $1'],
    ['the team’s own row', 'select name from team where id = $1::uuid for share'],
    [
      'a join by the team',
      'select 1 from training t join evaluation e on e.tenant_id = t.tenant_id and e.training_id = t.id where t.tenant_id = $1',
    ],
    ['a row of its team', 'insert into "case" (tenant_id, id) values ($1, $2)'],
    [
      'rows of the team that it reads',
      'insert into crm_objection (tenant_id, deal_id) select d.tenant_id, d.id from crm_deal d where d.tenant_id = $1',
    ],
    [
      'rows that another part of the statement passes on to where the team’s row is',
      `with gone as (delete from "case" where tenant_id = $1 returning id)
       insert into deletion (tenant_id, id) select team.id, gone.id from gone join team on team.id = $1`,
    ],
    ['tables that are not of teams', 'select 1 from mail join person on person.email = mail.recipient'],
    ['a query of WITH with the name of a table', 'with member as (select 1 as id) select id from member'],
  ])('is accepted with %s', (_what, sql) => {
    expect(tenantFlaws(sql)).toEqual([]);
  });
});
