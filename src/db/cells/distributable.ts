import type pg from 'pg';
import { ConfigError } from '../../core/config-error.ts';
import { nodeUrl, type FoundNode } from './cells.ts';
import { hasCitus } from './distributed-tables.ts';
import { isThere, withClient } from '../migrate.ts';
import { refusePooler } from '../pooler.ts';
import { requestRole } from '../row-security.ts';

// Lines of docs/citus.md that a database needs before it can be distributed. `npm run migrate -- --distribute` checks
// each of them first, and names those that are missing. Citus itself would complain too late and without naming a line:
// half of the tables would be distributed, or requests would be answered with 503. Settings that only an administrator
// can see are not checked; docs/citus.md has a statement that shows them.

/** The names in the form that they have in statements. */
interface NamesInStatements {
  readonly owner: string;
  readonly ownerText: string;
  readonly database: string;
}

/** A line, and where it belongs: a file, or the database in which an administrator runs it. */
interface InstructionLine {
  readonly where: string;
  readonly text: string;
}

/** The line is for the database `postgres`: elsewhere Citus would repeat it on all machines, or refuse it. */
const ofRoles = (text: string): InstructionLine => ({ where: 'psql postgres', text });

const ofDatabase = ({ database }: NamesInStatements, text: string): InstructionLine => ({
  where: `psql ${database}`,
  text,
});

const authinfo = (names: NamesInStatements, role: string, password: string): InstructionLine =>
  ofDatabase(
    names,
    `INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, ${role}, 'password=${password}');`,
  );

/** The lines whose effect is checked. */
export const lines = {
  extension: (names: NamesInStatements) => ofDatabase(names, 'CREATE EXTENSION citus;'),
  coordinator: (names: NamesInStatements) => ofDatabase(names, `SELECT citus_set_coordinator_host('10.0.0.1', 5432);`),
  node: (names: NamesInStatements) => ofDatabase(names, `SELECT citus_add_node('10.0.0.2', 5432);`),
  walLevel: () => ({ where: 'postgresql.conf', text: 'wal_level = logical' }),
  access: () => ({ where: 'pg_hba.conf', text: 'host all all 10.0.0.0/24 scram-sha-256' }),
  owner: ({ owner }: NamesInStatements) => ofRoles(`CREATE ROLE ${owner} LOGIN PASSWORD 'OWNER-PASSWORD';`),
  database: ({ owner, database }: NamesInStatements) => ofRoles(`ALTER DATABASE ${database} OWNER TO ${owner};`),
  requestRole: () => ofRoles(`CREATE ROLE ${requestRole} NOLOGIN;`),
  membership: ({ owner }: NamesInStatements) => ofRoles(`GRANT ${requestRole} TO ${owner};`),
  requestLogin: () => ofRoles(`ALTER ROLE ${requestRole} LOGIN PASSWORD 'REQUEST-PASSWORD';`),
  ownerPassword: (names: NamesInStatements) => authinfo(names, names.ownerText, 'OWNER-PASSWORD'),
  requestPassword: (names: NamesInStatements) => authinfo(names, `'${requestRole}'`, 'REQUEST-PASSWORD'),
  replicate: (names: NamesInStatements) =>
    ofDatabase(
      names,
      `GRANT EXECUTE ON FUNCTION replicate_reference_tables(citus.shard_transfer_mode) TO ${names.owner};`,
    ),
} as const;

/** Something that a machine lacks. */
interface MissingNeed {
  /** The address of the machine. */
  readonly at: string;
  readonly why: string;
  /** The missing line; undefined if no line helps. */
  readonly line: InstructionLine | undefined;
}

/** Throws if this database can't be distributed, and says which lines are missing. */
export const requireDistributable = async (databaseUrl: string): Promise<void> => {
  await refusePooler(databaseUrl);
  const { names, nodes } = await withClient(databaseUrl, async (client) => {
    const own = await namesOf(client);
    await requireNodes(client, own);
    return { names: own, nodes: await nodesOf(client) };
  });
  const found: MissingNeed[] = [];
  for (const node of nodes) found.push(...(await lacksOf(nodeUrl(databaseUrl, node), node, names)));
  // Connections are tried only if no machine lacks anything: otherwise each machine would report the same lack again.
  if (found.length === 0)
    for (const node of nodes) found.push(...(await failedConnections(nodeUrl(databaseUrl, node), node, nodes, names)));
  if (found.length > 0) throw new ConfigError(explain(found));
};

const explain = (lacks: readonly MissingNeed[]): string => {
  const shown = Map.groupBy(lacks, ({ at, line, why }) =>
    line ? `  ${at}, ${line.where}: ${line.text}` : `  ${at}: ${why}`,
  );
  const texts = Array.from(shown, ([text, [first]]) => (first?.line ? `${text}\n    ${first.why}` : text));
  return `The database can't be distributed yet. These lines of docs/citus.md are missing, after their machine and place:
${texts.join('\n')}
Then run npm run migrate -- --distribute again.`;
};

const addressOf = ({ host, port }: FoundNode): string => `${host}:${port}`;

const namesOf = async (client: pg.Client): Promise<NamesInStatements> => {
  const { rows } = await client.query<NamesInStatements>(
    `select quote_ident(current_user) as owner, quote_literal(current_user) as "ownerText",
            quote_ident(current_database()) as database`,
  );
  return rows[0] ?? { owner: '', ownerText: '', database: '' };
};

const nodesOf = async (client: pg.Client): Promise<FoundNode[]> => {
  const { rows } = await client.query<FoundNode>(
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node
      where isactive and noderole = 'primary' order by groupid`,
  );
  return rows;
};

// The nodes

/** How many machines may have rows of teams. */
export const countMachines = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from pg_dist_node where isactive and shouldhaveshards',
  );
  return rows[0]?.count ?? 0;
};

const requireNodes = async (client: pg.Client, names: NamesInStatements): Promise<void> => {
  if (!(await hasCitus(client))) {
    throw new ConfigError(`The database has no extension Citus. docs/citus.md says how to install it on each machine.
Then, as an administrator, run ${lines.extension(names).text}`);
  }
  const { rows } = await client.query<{ isWorker: boolean; hasCoordinator: boolean; isSuperuser: boolean }>(
    `select exists (select from pg_dist_local_group where groupid <> 0) as "isWorker",
            exists (select from pg_dist_node where groupid = 0) as "hasCoordinator",
            (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`,
  );
  const { isWorker, hasCoordinator, isSuperuser } = rows[0] ?? {};
  if (isWorker) {
    throw new ConfigError('DATABASE_URL leads to a worker of Citus: it must lead to the first machine (coordinator).');
  }
  if (!isSuperuser && !(await isThere(client, 'team'))) throw new ConfigError(await notMigrated(client));
  if (!hasCoordinator) {
    throw new ConfigError(`The first machine has no address for the others. Run this in the database, as an administrator:
  ${lines.coordinator(names).text}`);
  }
  if ((await countMachines(client)) === 0) {
    throw new ConfigError(`No machine may have the rows of teams. Add a worker, as an administrator:
  ${lines.node(names).text}`);
  }
};

/** Citus sends the grants of a migration to the nodes, with attributes of roles that only a superuser may change. */
const notMigrated = async (client: pg.Client): Promise<string> => {
  const nodes = (await nodesOf(client)).filter(({ isCoordinator }) => !isCoordinator);
  const removals = nodes.map(({ host, port }) => `  SELECT citus_remove_node('${host}', ${port});\n`);
  return `The database has no tables yet. Run npm run migrate before there are nodes: with nodes, Citus refuses the first
migration of an owner who is no superuser.
${removals.length === 0 ? '' : `Remove them until then, as an administrator:\n${removals.join('')}`}`;
};

// Needs of each machine

interface MachineNeed {
  readonly why: string;
  readonly line: (names: NamesInStatements) => InstructionLine;
  /** SQL: whether the machine meets the need. */
  readonly isMet: string;
  /** Whether only the coordinator has this need. */
  readonly onCoordinator?: true;
}

const ofRequests = `select from pg_roles where rolname = '${requestRole}'`;

const needs: readonly MachineNeed[] = [
  {
    why: 'Cells are moved by logical replication. PostgreSQL must be restarted.',
    line: lines.walLevel,
    isMet: `current_setting('wal_level') = 'logical'`,
  },
  {
    why: 'The owner of the tables makes schemas there.',
    line: lines.database,
    isMet: `exists (select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage'))`,
  },
  { why: 'Statements of requests have this role.', line: lines.requestRole, isMet: `exists (${ofRequests})` },
  {
    why: 'The machines connect to each other as the role of the statement.',
    line: lines.requestLogin,
    isMet: `exists (${ofRequests} and rolcanlogin)`,
  },
  {
    why: 'The user of DATABASE_URL takes this role for statements of requests.',
    line: lines.membership,
    isMet: `exists (${ofRequests} and pg_has_role(oid, 'member'))`,
  },
  {
    why: 'It copies the tables that all machines have to new ones.',
    line: lines.replicate,
    isMet: `exists (select from pg_proc where proname = 'replicate_reference_tables' and has_function_privilege(oid, 'execute'))`,
    onCoordinator: true,
  },
];

/** The needs that a machine does not meet. Connections between machines are checked below. */
const lacksOf = async (url: string, node: FoundNode, names: NamesInStatements): Promise<MissingNeed[]> => {
  const at = addressOf(node);
  try {
    return await withClient(url, async (client) => {
      const asked = needs.filter(({ onCoordinator = false }) => !onCoordinator || node.isCoordinator);
      const { rows } = await client.query<{ met: boolean[] }>(
        `select array[${asked.map(({ isMet }) => isMet).join(', ')}] as met`,
      );
      return asked
        .filter((_, index) => rows[0]?.met[index] !== true)
        .map(({ why, line }) => ({ at, why, line: line(names) }));
    });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ConfigError) throw error;
    const why = `It can't be reached from here as ${names.owner}: ${error.message}`;
    return [{ at, why, line: lineAgainst(error.message, names, { isOwner: true }) }];
  }
};

// Connections between the machines

/** The line that a machine lacks if it refuses a connection for this reason. */
const lineAgainst = (
  reason: string,
  names: NamesInStatements,
  { isOwner }: { isOwner: boolean },
): InstructionLine | undefined => {
  if (/no pg_hba\.conf entry/.test(reason)) return lines.access();
  if (!/password authentication failed|role "[^"]*" does not exist|not permitted to log in/.test(reason))
    return undefined;
  return isOwner ? lines.owner(names) : lines.requestLogin();
};

/**
 * Tries connections from a machine to all of them, as the owner and as the role of requests. Returns those that failed,
 * each with its missing line, if there is one.
 */
const failedConnections = (
  url: string,
  from: FoundNode,
  nodes: readonly FoundNode[],
  names: NamesInStatements,
): Promise<MissingNeed[]> =>
  withClient(url, async (client) => {
    let warning = '';
    client.on('notice', ({ message = '' }) => (warning = message));
    const found: MissingNeed[] = [];
    for (const role of [names.owner, requestRole]) {
      await client.query(`begin; set local role ${role}`);
      for (const to of nodes) {
        const { rows } = await client.query<{ works: boolean }>(
          'select citus_check_connection_to_node($1, $2) as works',
          [to.host, to.port],
        );
        if (rows[0]?.works === true) continue;
        const isOwner = role === names.owner;
        const why = `${addressOf(from)} can't connect to ${addressOf(to)} as ${role}: ${warning}`;
        found.push(
          warning.includes('no password supplied')
            ? { at: addressOf(from), why, line: isOwner ? lines.ownerPassword(names) : lines.requestPassword(names) }
            : { at: addressOf(to), why, line: lineAgainst(warning, names, { isOwner }) },
        );
      }
      await client.query('rollback');
    }
    return found;
  });
