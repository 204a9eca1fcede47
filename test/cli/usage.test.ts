import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { failureOf } from '../../src/cli/failure.ts';
import { makeCli, makeCliOfProcesses } from './cli.ts';

// Without a database: wrong usage is reported before anything is opened.
const environment = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' };
const cli = makeCli(environment);
const processes = makeCliOfProcesses(environment);

const create = ['team', 'create', '--name', 'Acme', '--owner-email', 'owner@example.com'];
const createKey = ['key', 'create', '--team', 'x', '--name', 'k', '--by', 'x'];
const recordTraining = ['training', 'record', '--team', 'x', '--member', 'x'];
const connectCrm = ['crm', 'connect', '--team', 'x', '--provider', 'feed', '--token-file', 'x'];
const addMember = ['member', 'add', '--team', 'x', '--email', 'mia@example.com'];

describe('wrong usage', () => {
  it.each([
    ['no command', []],
    ['a group without a command', ['team']],
    ['an unknown command', ['frobnicate']],
    ['an unknown command of a group', ['team', 'frobnicate']],
    ['an unknown flag', [...create, '--colour', 'red']],
    ['a flag that is needed', ['team', 'create', '--name', 'Acme']],
    ['an argument too many', ['team', 'list', 'all']],
    ['an argument too few', ['team', 'find']],
    ['no number', [...create, '--seats', 'ten']],
    ['half a number', [...create, '--seats', '1.5']],
    ['a negative number', [...create, '--rate-limit', '-1']],
    ['too small a number', [...create, '--rate-limit', '0']],
    ['too large a number', [...create, '--seats', '99999999999999999999']],
    ['no plan', [...create, '--plan', 'gold']],
    ['no language', [...create, '--language', 'fr']],
    ['no email', ['team', 'create', '--name', 'Acme', '--owner-email', 'owner']],
    ['an email too long', ['team', 'create', '--name', 'Acme', '--owner-email', `${'a'.repeat(250)}@b.de`]],
    ['an empty name', ['team', 'create', '--name', ' ', '--owner-email', 'owner@example.com']],
    ['too short a password', [...create, '--owner-password', 'short']],
    ['too long a password', [...create, '--owner-password', 'x'.repeat(limits.passwordCharacters.max + 1)]],
    ['no number of mails', ['mail', 'list', '--limit', '0']],
    ['no values to encrypt again', ['secrets', 'rotate', '--most', '0']],
    ['no domain', ['team', 'sso', '--team', 'x', '--domain', 'no domain']],
    ['another number of days', ['team', 'sso', '--team', 'x', '--demand', 'none', '--in-days', '3']],
    ['no time to recover from', ['webhooks', 'recover', '--team', 'x', '--endpoint', 'x', '--since', '2026-11-20']],
    ['an endpoint’s queue without the endpoint', ['webhooks', 'queue', '--team', 'x']],
    ['a deletion without the team’s name', ['team', 'delete', '--team', 'x']],
    ['neither on nor off', ['team', 'set', '--team', 'x', '--member-detail', 'maybe']],
    ['no status', ['team', 'set', '--team', 'x', '--status', 'gone']],
    ['neither scopes nor a template', createKey],
    ['scopes and a template', [...createKey, '--scopes', 'users:read', '--template', 'all']],
    ['an unknown scope', [...createKey, '--scopes', 'users:read,users:rule']],
    ['no scope', [...createKey, '--scopes', '']],
    ['no template', [...createKey, '--template', 'everything']],
    ['no time', [...createKey, '--template', 'all', '--expires', 'tomorrow']],
    ['a date without a time', [...createKey, '--template', 'all', '--expires', '2099-01-31']],
    ['a negative grace period', ['key', 'rotate', '--key', 'x', '--grace', '-1']],
    ['a password for somebody invited', [...addMember, '--password', 'correct horse']],
    ['no right', [...addMember, '--role', 'admin', '--rights', 'everything']],
    ['a right for a plain member', [...addMember, '--rights', 'api-keys']],
    ['a right for a plain member by its stored name', [...addMember, '--role', 'member', '--rights', 'schnittstellen']],
    ['a role that is not given', [...addMember, '--role', 'owner']],
    ['a training without a member', ['training', 'record', '--team', 'x']],
    ['a training without a team', ['training', 'record', '--member', 'x']],
    ['a score of 101', [...recordTraining, '--score', '101']],
    ['a negative score', [...recordTraining, '--score', '-1']],
    ['half a point', [...recordTraining, '--score', '70.5']],
    ['a score in words', [...recordTraining, '--score', 'ten']],
    ['an empty score', [...recordTraining, '--score', '']],
    ['a score of a session that is not scored', [...recordTraining, '--score', '70', '--status', 'ended']],
    ['a score of one that runs', [...recordTraining, '--status', 'running', '--score', '70']],
    ['another status of a training', [...recordTraining, '--status', 'done']],
    ['a start without a time', [...recordTraining, '--at', '2026-03-01']],
    ['a start without an offset', [...recordTraining, '--at', '2026-03-01T08:30:00']],
    ['a file of trainings and a member', [...recordTraining, '--file', 'x.jsonl']],
    ['another CRM', ['crm', 'connect', '--team', 'x', '--provider', 'other', '--token-file', 'x']],
    ['a CRM without a token', ['crm', 'connect', '--team', 'x', '--provider', 'feed']],
    ['syncs less than five minutes apart', [...connectCrm, '--every', '299']],
    ['syncs more than a day apart', [...connectCrm, '--every', '86401']],
    ['no connection', ['crm', 'sync']],
    ['maintenance without a wait', ['maintenance', 'on', '--retry-after', '0']],
  ])('%s: exit code 2', async (_, args) => {
    const failure = await cli.failure(args);
    expect(failure).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(failure.message).not.toMatch(/^error:|\(outputHelp\)/);
  });

  it('of a real process, with --json', async () => {
    expect(await processes.failure([...create, '--colour', 'red'])).toMatchObject({ exitCode: 2, code: 'usage' });
  });

  it('is explained to people on stderr, with a hint', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['team', 'lst']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/unknown command 'lst'[\s\S]*Did you mean list\?/);
  });
});

describe('--help', () => {
  /** The commands that a help text lists. */
  const commandsIn = (help: string): string[] => {
    const [, list = ''] = help.split('\nCommands:\n');
    const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = '']) => name);
    return names.filter((name) => name !== 'help');
  };

  it('explains every command, its options and the commands of a group', async () => {
    let commands = 0;
    const explain = async (words: readonly string[]): Promise<void> => {
      const { exitCode, stdout, stderr } = await cli.run([...words, '--help']);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain(`Usage: ${['npm run -s cli --', ...words].join(' ')}`);
      const inner = commandsIn(stdout);
      if (inner.length === 0) expect(stdout, words.join(' ')).toMatch(/^ {2}--json /m);
      for (const name of inner) await explain([...words, name]);
      commands += 1;
    };
    await explain([]);
    expect(commands).toBeGreaterThan(40);
  });
});

describe('errors before any rule runs', () => {
  it('an unreachable database', async () => {
    expect(await cli.failure(['team', 'list'])).toMatchObject({ exitCode: 1, code: 'unavailable' });
    expect((await cli.run(['team', 'list'])).stderr).toMatch(/^The database can not be reached: .*ECONNREFUSED.*\n$/);
  });

  it('a deadlock, which is not said to be a database that can not be reached', () => {
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    expect(failureOf(deadlock)).toMatchObject({
      code: 'unavailable',
      message: 'The database was too busy. Try again: deadlock detected',
    });
  });

  it('an invalid configuration', async () => {
    const failure = await cli.failure(['team', 'list'], { PORT: 'many' });
    expect(failure).toMatchObject({ exitCode: 1, code: 'configuration' });
    expect(failure.message).toContain('PORT');
  });
});
