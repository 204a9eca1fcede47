import { describe, expect, it, onTestFinished } from 'vitest';
import { pendingMigrations } from '../../src/db/migrate.ts';
import { createEmptyDatabase } from '../support/postgres.ts';
import { removeServer, throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeCliOfProcesses } from './cli.ts';
import { CreatedTeam, Teams } from './shapes.ts';

const production = { NODE_ENV: 'production', APP_SECRET: 'x'.repeat(32), PUBLIC_URL: 'https://trainer.example' };

const anEmptyDatabase = async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const cli = makeCliOfProcesses({ DATABASE_URL: database.url, DATA_DIR: throwAwayFolder() });
  return { url: database.url, cli };
};

describe('a database that lacks migrations', () => {
  it('is migrated first, with a message for people only', async () => {
    const { url, cli } = await anEmptyDatabase();
    const { exitCode, stdout, stderr } = await cli.run(['team', 'list']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'None.\n' });
    expect(stderr).toContain('Applied migration');
    expect(await pendingMigrations(url)).toEqual([]);
  });

  it('is migrated without output with --json, once by all concurrent commands', async () => {
    const { cli } = await anEmptyDatabase();
    const lists = await Promise.all([1, 2, 3].map(() => cli.json(Teams, ['team', 'list'])));
    expect(lists).toEqual([[], [], []]);
  });

  it('is not migrated in production', async () => {
    const { url, cli } = await anEmptyDatabase();
    const pending = await pendingMigrations(url);
    const failure = await cli.failure(['team', 'list'], production);
    expect(failure).toMatchObject({ exitCode: 1, code: 'configuration' });
    expect(failure.message).toMatch(/npm run migrate/);
    expect(await pendingMigrations(url)).toEqual(pending);
  });
});

describe('the embedded database', () => {
  it('is started for a command and stopped after it, and keeps its data', async () => {
    const folder = throwAwayFolder();
    onTestFinished(() => removeServer(folder));
    const cli = makeCliOfProcesses({ DATA_DIR: folder });
    const create = ['team', 'create', '--name', 'Acme', '--owner-email', 'owner@example.com'];
    const { tenant_id } = await cli.json(CreatedTeam, create);
    expect(await cli.json(Teams, ['team', 'list'])).toMatchObject([{ tenant_id, name: 'Acme' }]);
  });
});
