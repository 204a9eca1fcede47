import { openFoundation } from '../compose.ts';
import type { Foundation } from '../compose.ts';
import { ConfigError, readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { migrate, pendingMigrations } from '../db/migrate.ts';
import type { Platform } from '../platform/platform.ts';
import type { Actor } from '../platform/team.ts';
import type { ProcessContext } from './process-context.ts';
import { fields, table } from './text.ts';

/** What a command works with. */
export interface Session {
  readonly config: Config;
  readonly foundation: Foundation;
  readonly platform: Platform;
  readonly report: (line: string) => void;
}

/** The actor of a command: its user has access to the database itself. */
export const operator: Actor = { kind: 'operator' };

/** In production an operator decides when to migrate a database; elsewhere it is migrated as soon as it is used. */
const bringUpToDate = async ({ config, foundation, report }: Session): Promise<void> => {
  if (config.NODE_ENV !== 'production') {
    await migrate(foundation.databaseUrl, report);
    return;
  }
  const pending = await pendingMigrations(foundation.databaseUrl);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks migrations: run npm run migrate (${pending.join(', ')})`);
  }
};

const readable = (value: object): string => (Array.isArray(value) ? table(value) : fields(value));

export type Answer = ReturnType<typeof answerIn>;

/** Does a command's work on the database and prints its result: one JSON document, or a text for people. */
export const answerIn =
  ({ env, stdout, stderr }: ProcessContext) =>
  async <Value extends object>(
    { json }: { json?: true | undefined },
    work: (session: Session) => Promise<Value>,
    render: (value: Value) => string = readable,
  ): Promise<void> => {
    const report = (line: string) => {
      if (!json) stderr.write(`${line}\n`);
    };
    const config = readConfig(env);
    const foundation = await openFoundation(config, { report });
    try {
      const session: Session = { config, foundation, platform: foundation.platform, report };
      await bringUpToDate(session);
      const value = await work(session);
      // Before anything else can fail: a new key, for instance, is shown only once.
      stdout.write(`${json ? JSON.stringify(value, null, 2) : render(value)}\n`);
    } finally {
      await foundation.close();
    }
  };
