import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeCli } from './cli.ts';
import type { Cli } from './cli.ts';
import { CreatedTeam } from './shapes.ts';

let counter = 0;
export const anEmail = (name = 'person'): string => `${name}.${(counter += 1)}@example.com`;

/** The command line on a database of this test file's own. */
export const cliOnDatabase = () => {
  let database: TestDatabase | undefined;
  let cli: Cli | undefined;
  const folder = throwAwayFolder();

  beforeAll(async () => {
    database = await createDatabase();
    cli = makeCli({ DATABASE_URL: database.url, DATA_DIR: folder });
  });
  afterAll(() => database?.drop());

  const ready = (): Cli => {
    if (!cli) throw new Error('Only within a test.');
    return cli;
  };
  const json: Cli['json'] = (...args) => ready().json(...args);
  return {
    folder,
    run: (...args: Parameters<Cli['run']>) => ready().run(...args),
    json,
    failure: (...args: Parameters<Cli['failure']>) => ready().failure(...args),
    aTeam: (...flags: string[]) =>
      json(CreatedTeam, ['team', 'create', '--name', 'A team', '--owner-email', anEmail('owner'), ...flags]),
  };
};
