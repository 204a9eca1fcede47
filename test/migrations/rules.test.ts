import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { complaintsAbout, loadParser, withLimitedLockWait } from '../../scripts/migrations/rules.ts';
import { schemaFile } from '../../src/db/migrate.ts';
import { schemaDifference } from '../../src/db/schema-engine.ts';

await loadParser();

const withLockTimeout = `SET LOCAL lock_timeout = '3s';\n`;

describe('a migration is refused that', () => {
  it.each([
    ['drops a table', 'DROP TABLE "case"'],
    ['drops a column', 'ALTER TABLE member DROP COLUMN email'],
    ['drops a function', 'DROP FUNCTION gate(text[])'],
    ['drops a type', 'DROP TYPE plan'],
    ['renames a table', 'ALTER TABLE member RENAME TO person'],
    ['renames a column', 'ALTER TABLE member RENAME COLUMN email TO address'],
    ['renames a value of an enum', `ALTER TYPE plan RENAME VALUE 'team' TO 'pro'`],
    ['changes the type of a column', 'ALTER TABLE member ALTER COLUMN email TYPE varchar(100)'],
    ['adds a column that is not null without a default', 'ALTER TABLE member ADD COLUMN note text NOT NULL'],
    ['makes a column not null', 'ALTER TABLE member ALTER COLUMN email SET NOT NULL'],
    ['adds a column with a volatile default', 'ALTER TABLE member ADD COLUMN code uuid DEFAULT gen_random_uuid()'],
    ['… however deep', `ALTER TABLE member ADD COLUMN code text DEFAULT ('x' || (random() + 1)::text)`],
    ['adds a serial column', 'ALTER TABLE member ADD COLUMN n bigserial'],
    ['adds an identity column', 'ALTER TABLE member ADD COLUMN n int GENERATED ALWAYS AS IDENTITY'],
    ['adds a stored generated column', 'ALTER TABLE member ADD COLUMN n int GENERATED ALWAYS AS (1) STORED'],
    ['adds a unique column', 'ALTER TABLE member ADD COLUMN n int UNIQUE'],
    ['creates an index while writes wait', 'CREATE INDEX i ON member (email)'],
    ['creates an index concurrently beside another statement', `CREATE INDEX CONCURRENTLY i ON member (email)`],
    ['adds a unique constraint', 'ALTER TABLE member ADD CONSTRAINT u UNIQUE (email)'],
    [
      'adds a foreign key that is validated at once',
      'ALTER TABLE member ADD CONSTRAINT f FOREIGN KEY (x) REFERENCES team (id)',
    ],
    ['adds a foreign key with its column', 'ALTER TABLE member ADD COLUMN t uuid REFERENCES team (id)'],
    ['adds a check that is validated at once', 'ALTER TABLE member ADD CONSTRAINT c CHECK (seats > 0)'],
    ['drops a constraint', 'ALTER TABLE member DROP CONSTRAINT member_pkey'],
    ['drops a default', 'ALTER TABLE member ALTER COLUMN rights DROP DEFAULT'],
    ['drops an index', 'DROP INDEX CONCURRENTLY i'],
    ['adds an exclusion', 'ALTER TABLE member ADD CONSTRAINT e EXCLUDE USING gist (email WITH =)'],
    [
      'validates under the lock of the statement that adds',
      'ALTER TABLE member ADD CONSTRAINT c CHECK (seats > 0) NOT VALID; ALTER TABLE member VALIDATE CONSTRAINT c',
    ],
    ['changes which rows former processes see', 'CREATE POLICY p ON member USING (true)'],
    ['updates many rows', 'UPDATE member SET email = lower(email)'],
    ['deletes many rows', 'DELETE FROM member'],
    ['inserts many rows', 'INSERT INTO member SELECT * FROM person'],
    ['truncates', 'TRUNCATE member'],
    ['locks a table', 'LOCK TABLE member'],
    ['runs what nobody can judge', 'DO $$ BEGIN EXECUTE $x$ drop table member; $x$; END $$'],
    ['calls a function', 'SELECT move_everything()'],
    ['hides a change in a query', 'WITH gone AS (DELETE FROM member RETURNING *) SELECT * FROM gone'],
    ['vacuums', 'VACUUM FULL member'],
    [
      'has a line inside a statement that ends with a semicolon',
      `CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\n  select 1;\n$$`,
    ],
  ])('%s', (_, sql) => {
    expect(complaintsAbout(`${withLockTimeout}${sql};`)).toHaveLength(1);
  });

  it.each([
    ['sets a default to null', 'ALTER TABLE deal ALTER pages SET DEFAULT NULL::int', 'has to accept null'],
    [
      'adds a column that is not null with the default NULL',
      'ALTER TABLE deal ADD n int NOT NULL DEFAULT NULL',
      'needs a default',
    ],
    [
      'deletes on the way to a new table',
      'WITH g AS (DELETE FROM deal RETURNING id) INSERT INTO fresh SELECT 1 FROM g',
      'in a WITH query',
    ],
    ['inserts on the way', 'WITH g AS (INSERT INTO deal SELECT 1) UPDATE fresh SET id = 1', 'in a WITH query'],
    ['calls a table new that may be in use', 'CREATE TABLE IF NOT EXISTS deal (id int)', 'leave out IF NOT EXISTS'],
    [
      'replaces a function',
      `CREATE OR REPLACE FUNCTION gate() RETURNS void LANGUAGE sql AS 'select 1'`,
      'another name',
    ],
    ['replaces a view', 'CREATE OR REPLACE VIEW v AS SELECT 1', 'another name'],
    [
      'replaces a trigger',
      'CREATE OR REPLACE TRIGGER t BEFORE INSERT ON deal FOR EACH ROW EXECUTE FUNCTION f()',
      'another name',
    ],
    ['turns triggers off', 'SET session_replication_role = replica', 'not known to be harmless'],
    [
      'validates under the lock of another change',
      'ALTER TABLE deal VALIDATE CONSTRAINT deal_reason, ADD COLUMN n int',
      'its own statement',
    ],
  ])('%s, with the reason', (_, sql, reason) => {
    const complaints = complaintsAbout(`${withLockTimeout}CREATE TABLE fresh (id int);${sql};`);
    expect(complaints).toEqual([expect.stringContaining(reason)]);
  });

  it('uses a table that exists already as if it had made it', () => {
    const drop = 'ALTER TABLE deal DROP COLUMN pages;';
    const refused = 'ALTER TABLE deal DROP COLUMN pages: former processes still read the column';
    expect(complaintsAbout(`${withLockTimeout}CREATE TABLE IF NOT EXISTS deal (id int);${drop}`)).toContainEqual(
      refused,
    );
    expect(complaintsAbout(`${withLockTimeout}CREATE TABLE other.deal (id int);${drop}`)).toEqual([refused]);
    expect(complaintsAbout(`${withLockTimeout}CREATE TEMP TABLE deal (id int); ${drop}`)).toEqual([refused]);
  });

  it.each(['RESET lock_timeout', 'RESET ALL', `SET LOCAL lock_timeout = '1h'`])(
    'ends the limit of the wait for locks with %s',
    (setting) => {
      expect(complaintsAbout(`${withLockTimeout}${setting};`)).toEqual([
        expect.stringMatching(/SET \w* is not known to be harmless/),
      ]);
    },
  );

  it('does not begin with a limit of the wait for locks', () => {
    const sql = 'ALTER TABLE member ADD COLUMN note text;';
    expect(complaintsAbout(sql)).toEqual([expect.stringContaining('lock_timeout')]);
    expect(complaintsAbout(`SET LOCAL lock_timeout = '1h';${sql}`)).toContainEqual(
      expect.stringContaining('begin the migration with'),
    );
    expect(complaintsAbout(`-- Why.\n${withLockTimeout}${sql}`)).toEqual([]);
  });

  it('has SQL that PostgreSQL can not parse', () => {
    expect(() => complaintsAbout('ALTER TABEL member')).toThrow('syntax error');
  });
});

describe('a migration is accepted that', () => {
  it.each([
    [
      'makes tables with whatever belongs to them',
      'CREATE TABLE a (id int PRIMARY KEY); CREATE INDEX i ON a (id); UPDATE a SET id = 1',
    ],
    ['adds a column that may be null', 'ALTER TABLE member ADD COLUMN note text'],
    ['adds a column with a constant default', `ALTER TABLE member ADD COLUMN note text NOT NULL DEFAULT 'it''s; fine'`],
    ['adds a list, as Prisma writes it', 'ALTER TABLE member ADD COLUMN tags text[] DEFAULT ARRAY[]::text[]'],
    [
      'adds a column with the time as its default',
      'ALTER TABLE member ADD COLUMN at timestamptz NOT NULL DEFAULT now()',
    ],
    [
      'adds what is not validated',
      'ALTER TABLE member ADD CONSTRAINT f FOREIGN KEY (x) REFERENCES team (id) NOT VALID',
    ],
    ['validates what an earlier one added', 'ALTER TABLE member VALIDATE CONSTRAINT f'],
    ['takes an index for a constraint', 'ALTER TABLE member ADD CONSTRAINT u UNIQUE USING INDEX i'],
    ['lets a column be null', 'ALTER TABLE deal ALTER COLUMN external_id DROP NOT NULL'],
    ['sets a default', 'ALTER TABLE deal ALTER COLUMN pages SET DEFAULT 1'],
    ['makes a new table without its default', 'CREATE TABLE a (id int DEFAULT 1); ALTER TABLE a ALTER id DROP DEFAULT'],
    ['limits its statements', `SET LOCAL statement_timeout = '5s'`],
    ['adds a value to an enum', `ALTER TYPE plan ADD VALUE 'free'`],
    [
      'adds a function',
      `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ drop table member; $$;
       CREATE FUNCTION g() RETURNS void LANGUAGE sql BEGIN ATOMIC DELETE FROM member; END`,
    ],
    ['adds a view', 'CREATE VIEW v AS SELECT 1'],
    ['inserts some rows', `INSERT INTO catalog_item (id) VALUES ('DROP TABLE member;')`],
  ])('%s', (_, sql) => {
    expect(complaintsAbout(`${withLockTimeout}-- DROP TABLE member;\n/* DROP TABLE team; */ ${sql};`)).toEqual([]);
  });

  it('creates an index concurrently, by itself and without a limit', () => {
    expect(complaintsAbout('-- Why.\nCREATE INDEX CONCURRENTLY i ON member (email);')).toEqual([]);
  });
});

describe('a new migration', () => {
  const written = async (change: (schema: string) => string): Promise<string> => {
    const schema = await readFile(schemaFile, 'utf8');
    return withLimitedLockWait(await schemaDifference(schema, change(schema)));
  };

  it('limits the wait for locks', async () => {
    const sql = await written((schema) => schema.replace('model Case {', 'model Case {\n  note String?'));
    expect(sql).toMatch(
      /^SET LOCAL lock_timeout = '3s';\n\n-- AlterTable\nALTER TABLE "case" ADD COLUMN +"note" TEXT;/,
    );
    expect(complaintsAbout(sql)).toEqual([]);
  });
});

describe('an exception', () => {
  const drop = 'ALTER TABLE member DROP COLUMN note;';

  it('allows only the statement after it', () => {
    const excused = `${withLockTimeout}-- Ä\n-- exception: no version since 1.4 reads or writes the column\n${drop}\n`;
    expect(complaintsAbout(excused)).toEqual([]);
    expect(complaintsAbout(`${excused}${drop}`)).toHaveLength(1);
  });

  it('needs a reason, and a statement that would be refused', () => {
    expect(complaintsAbout(`${withLockTimeout}-- exception: sorry\n${drop}`)).toEqual([
      expect.stringContaining('no reason'),
    ]);
    const idle = `${withLockTimeout}-- exception: it is here because it was always here\nCREATE TABLE a (id int);`;
    expect(complaintsAbout(idle)).toEqual([expect.stringContaining('not needed')]);
  });
});
