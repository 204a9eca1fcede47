import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { complaintsAbout, loadParser } from '../../scripts/migrations/rules.ts';
import { migrationsFolder } from '../../src/db/migration-files.ts';

beforeAll(() => loadParser());

const patiently = `SET LOCAL lock_timeout = '3s';\n`;

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
    ['adds an exclusion', 'ALTER TABLE member ADD CONSTRAINT e EXCLUDE USING gist (email WITH =)'],
    [
      'validates under the lock of the statement that adds',
      'ALTER TABLE member ADD CONSTRAINT c CHECK (seats > 0) NOT VALID; ALTER TABLE member VALIDATE CONSTRAINT c',
    ],
    ['updates many rows', 'UPDATE member SET email = lower(email)'],
    ['deletes many rows', 'DELETE FROM member'],
    ['inserts many rows', 'INSERT INTO member SELECT * FROM person'],
    ['truncates', 'TRUNCATE member'],
    ['locks a table', 'LOCK TABLE member'],
    ['runs what nobody can judge', 'DO $$ BEGIN EXECUTE $x$ drop table member; $x$; END $$'],
    ['calls a function', 'SELECT move_everything()'],
    ['hides a change in a query', 'WITH gone AS (DELETE FROM member RETURNING *) SELECT * FROM gone'],
    ['vacuums', 'VACUUM FULL member'],
  ])('%s', (_, sql) => {
    expect(complaintsAbout(`${patiently}${sql};`)).toHaveLength(1);
  });

  it.each([
    ['alters a table', 'ALTER TABLE member ADD COLUMN note text'],
    ['adds a trigger', 'CREATE TRIGGER t AFTER INSERT ON member FOR EACH ROW EXECUTE FUNCTION f()'],
    ['makes a table that refers to one', 'CREATE TABLE fresh (team uuid REFERENCES team (id))'],
    [
      'lets a new table refer to one',
      'CREATE TABLE fresh (team uuid); ALTER TABLE fresh ADD CONSTRAINT f FOREIGN KEY (team) REFERENCES team (id)',
    ],
  ])('%s without a limit for the wait', (_, sql) => {
    expect(complaintsAbout(sql)).toEqual([expect.stringContaining('lock_timeout')]);
    expect(complaintsAbout(`SET LOCAL lock_timeout = '0';${sql}`)).toEqual([expect.stringContaining('lock_timeout')]);
    expect(complaintsAbout(`SET LOCAL lock_timeout = 0;${sql}`)).toEqual([expect.stringContaining('lock_timeout')]);
    expect(complaintsAbout(patiently + sql)).toEqual([]);
  });

  it('PostgreSQL can not read', () => {
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
    ['loosens a rule', 'ALTER TABLE member DROP CONSTRAINT c, ALTER COLUMN email DROP NOT NULL'],
    ['adds a value to an enum', `ALTER TYPE plan ADD VALUE 'free'`],
    [
      'adds or replaces a function',
      'CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ drop table member; $$',
    ],
    ['inserts some rows', `INSERT INTO catalog_item (id) VALUES ('DROP TABLE member;')`],
  ])('%s', (_, sql) => {
    expect(complaintsAbout(`${patiently}-- DROP TABLE member;\n/* DROP TABLE team; */ ${sql};`)).toEqual([]);
  });

  it('creates or drops an index concurrently, by itself', () => {
    expect(complaintsAbout('-- Why.\nCREATE INDEX CONCURRENTLY i ON member (email);')).toEqual([]);
    expect(complaintsAbout('DROP INDEX CONCURRENTLY i;')).toEqual([]);
  });

  it('makes a column not null that an earlier one has proven to be', () => {
    const earlier = [
      'ALTER TABLE member ADD CONSTRAINT c CHECK (email IS NOT NULL) NOT VALID',
      'ALTER TABLE member VALIDATE CONSTRAINT c',
    ];
    const sql = `${patiently}ALTER TABLE member ALTER COLUMN email SET NOT NULL`;
    expect(complaintsAbout(sql, earlier)).toEqual([]);
    expect(complaintsAbout(sql, earlier.slice(0, 1))).toHaveLength(1);
    expect(complaintsAbout(sql.replace('email', 'user_id'), earlier)).toHaveLength(1);
  });

  it('is the one that brought this rule', async () => {
    const sql = await readFile(join(migrationsFolder, '20261121013000_versions', 'migration.sql'), 'utf8');
    expect(complaintsAbout(sql)).toEqual([]);
  });
});

describe('an exception', () => {
  const drop = 'ALTER TABLE member DROP COLUMN note;';

  it('lets the statement behind it pass, and no other', () => {
    const excused = `${patiently}-- Ä\n-- exception: no version since 1.4 reads or writes the column\n${drop}\n`;
    expect(complaintsAbout(excused)).toEqual([]);
    expect(complaintsAbout(`${excused}${drop}`)).toHaveLength(1);
  });

  it('needs a reason, and something to excuse', () => {
    expect(complaintsAbout(`${patiently}-- exception: sorry\n${drop}`)).toEqual([expect.stringContaining('no reason')]);
    const idle = `-- exception: it is here because it was always here\nCREATE TABLE a (id int);`;
    expect(complaintsAbout(idle)).toEqual([expect.stringContaining('not needed')]);
  });
});
