import { useDatabase } from '../support/postgres.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { makeCli, makeCliOfProcesses } from './cli.ts';
import { CreatedTeam } from './shapes.ts';

let counter = 0;
export const anEmail = (name = 'person'): string => `${name}.${(counter += 1)}@example.com`;

/** The command line on a database, by default one of this test file alone. */
export const cliOnDatabase = async (databaseUrl?: string) => {
  const folder = throwAwayFolder();
  const environment = { DATABASE_URL: databaseUrl ?? (await useDatabase()).url, DATA_DIR: folder };
  const cli = makeCli(environment);
  return {
    ...cli,
    folder,
    /** The same commands, each in its own process. */
    processes: makeCliOfProcesses(environment),
    aTeam: (...flags: string[]) =>
      cli.json(CreatedTeam, ['team', 'create', '--name', 'A team', '--owner-email', anEmail('owner'), ...flags]),
  };
};
