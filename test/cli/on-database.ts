import { afterAll, beforeAll } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeCli, makeCliOfProcesses } from './cli.ts';
import type { Cli } from './cli.ts';
import { CreatedTeam } from './shapes.ts';

let counter = 0;
export const anEmail = (name = 'person'): string => `${name}.${(counter += 1)}@example.com`;

/** The command line on a database of this test file. */
export const cliOnDatabase = () => {
  let database: TestDatabase | undefined;
  let cli: ReturnType<typeof makeCli> | undefined;
  let processes: ReturnType<typeof makeCliOfProcesses> | undefined;
  const folder = throwAwayFolder();

  beforeAll(async () => {
    database = await createDatabase();
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    cli = makeCli(environment);
    processes = makeCliOfProcesses(environment);
  });
  afterAll(() => database?.drop());

  const ready = <Made extends Cli>(made: Made | undefined): Made => {
    if (!made) throw new Error('Only within a test.');
    return made;
  };
  const json: Cli['json'] = (...args) => ready(cli).json(...args);
  return {
    folder,
    run: (...args: Parameters<Cli['run']>) => ready(cli).run(...args),
    json,
    failure: (...args: Parameters<Cli['failure']>) => ready(cli).failure(...args),
    onTerminal: (...args: Parameters<ReturnType<typeof makeCli>['onTerminal']>) => ready(cli).onTerminal(...args),
    /** The same commands, each in its own process. */
    processes: () => ready(processes),
    aTeam: (...flags: string[]) =>
      json(CreatedTeam, ['team', 'create', '--name', 'A team', '--owner-email', anEmail('owner'), ...flags]),
  };
};
