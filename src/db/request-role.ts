import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';
import { requestRole } from './row-security.ts';
import { sqlState } from './sqlstate.ts';

// The role in which the statements of requests run. `npm run migrate` creates it. Without it, no API process starts,
// except with ROW_SECURITY=false.

const alreadyThere = new Set<string>([sqlState.alreadyThere, sqlState.uniqueViolation]);

/** The reason why the connection's user can't have the role, or nothing. */
const refusalOfRole = async (client: pg.ClientBase): Promise<string | undefined> => {
  try {
    await client.query(`begin; set local role ${requestRole}`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.query('rollback');
  }
};

const instructions = async (client: pg.ClientBase, reason: string): Promise<string> => {
  const { rows } = await client.query<{ login: string }>('select quote_ident(current_user) as login');
  return `Requests need the database role ${requestRole}: ${reason}
Run these statements on the database as a user who may, then npm run migrate:
  CREATE ROLE ${requestRole} NOLOGIN;
  GRANT ${requestRole} TO ${rows[0]?.login};
Or set ROW_SECURITY=false: then each statement's own condition is the only wall between teams.`;
};

/** SQL: the service's own tables. Other programs may have tables in the same schema. */
const ownTables = `select oid from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> '_prisma_migrations'
    and relowner = (select relowner from pg_class where oid = 'public.team'::regclass)`;

/**
 * Tables of people, to which no policy of teams can apply. Code that runs in a team needs none of them, because signing
 * in runs before a team is known. Two other tables of people are not listed, because such code needs them: a change of
 * a team's provider ends the sessions that began with this provider (`session`), and the team's lists show names
 * (`person`).
 */
const tablesOfSignIn = ['credential', 'passkey', 'two_factor', 'verification'] as const;

const requestTables = `${ownTables} and relname not in (${tablesOfSignIn.map((name) => `'${name}'`).join(', ')})`;

const hasTables = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ granted: boolean }>(
    `select has_function_privilege($1::name, 'add_jobs(jsonb)', 'execute') and not exists (
       select from (${requestTables}) as own where not has_table_privilege($1::name, oid, 'select')) as granted`,
    [requestRole],
  );
  return rows[0]?.granted === true;
};

/** Whether requests can have their role, and the role has its rights to the tables. */
export const requestRoleIsReady = async (client: pg.Client): Promise<boolean> =>
  (await refusalOfRole(client)) === undefined && (await hasTables(client));

/** Creates the role of requests and gives it its rights to the tables. */
export const prepareRequestRole = async (
  client: pg.Client,
  report: (line: string) => void,
  begin: (client: pg.Client) => Promise<unknown>,
): Promise<void> => {
  if ((await refusalOfRole(client)) !== undefined) {
    try {
      await client.query(`create role ${requestRole} nologin`).catch(unlessThere);
      await client.query(`grant ${requestRole} to current_user`);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      report(await instructions(client, error.message));
      return;
    }
  }
  await begin(client);
  try {
    await grantTables(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

const grantTables = async (client: pg.Client): Promise<void> => {
  await client.query(`grant usage on schema public to ${requestRole};
    grant execute on function add_jobs(jsonb), remove_jobs(text[]) to ${requestRole};
    do $$
      declare own oid;
      begin
        for own in ${requestTables} loop
          execute format('grant select, insert, update, delete on %s to ${requestRole}', own::regclass);
        end loop;
        revoke all on ${tablesOfSignIn.join(', ')} from ${requestRole};
      end $$`);
};

const unlessThere = (error: unknown): void => {
  if (!(error instanceof pg.DatabaseError) || !alreadyThere.has(error.code ?? '')) throw error;
};

/** Throws unless requests can have their role, and all other code sees the rows of all teams. */
export const requireRequestRole = async (client: pg.Client): Promise<void> => {
  const refusal = await refusalOfRole(client);
  if (refusal !== undefined) throw new ConfigError(await instructions(client, refusal));
  if (!(await hasTables(client))) {
    throw new ConfigError(`The database role ${requestRole} has no rights to the tables: run npm run migrate`);
  }
  const { rows } = await client.query<{ isHeld: boolean; hasPolicies: boolean }>(
    `select row_security_active('team') as "isHeld", relrowsecurity as "hasPolicies" from pg_class where oid = 'team'::regclass`,
  );
  if (rows[0]?.hasPolicies === false) {
    throw new ConfigError('The tables have no policies. Restore them, or set ROW_SECURITY=false');
  }
  if (rows[0]?.isHeld) {
    throw new ConfigError('The user of DATABASE_URL must own the tables or have BYPASSRLS: it sees no row of any team');
  }
};
