import { InvalidArgumentError, type Command } from '@commander-js/extra-typings';
import { fields, table, type ProcessContext } from '../../cli/command.ts';
import { commandLine } from '../../cli/program.ts';
import { scopeList, score } from '../../cli/values.ts';
import { allEventTypes, eventTypes } from '../../core/events.ts';
import { userAgent } from '../../core/product.ts';
import { findSandbox, runningSandboxes, type Announcement } from './announcement.ts';
import { startInBackground } from './background.ts';
import { ask } from './client.ts';
import { refuseInProduction } from './sandbox.ts';
import { startHere } from './start.ts';

const portNumber = (given: string): number => {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It is a port, 1 to 65535.');
};

/** The lines of a file of environment variables, in the format of GitHub Actions and Docker. */
const environmentOf = (sandbox: Announcement): string =>
  Object.entries({
    SANDBOX_BASE_URL: sandbox.base_url,
    SANDBOX_APP_URL: sandbox.app_url,
    SANDBOX_API_KEY: sandbox.api_key,
    SANDBOX_READ_ONLY_KEY: sandbox.read_only_key,
    SANDBOX_TENANT_ID: sandbox.tenant_id,
    SANDBOX_CONTROL_URL: sandbox.control_url,
    SANDBOX_CONTROL_TOKEN: sandbox.control_token,
    ...(sandbox.webhook_endpoint && { SANDBOX_WEBHOOK_SECRET: sandbox.webhook_endpoint.secret }),
  })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

const describe = (sandbox: Announcement, ending: string): string => {
  const { sign_in: signIn, webhook_endpoint: endpoint, members, ids } = sandbox;
  const shown = {
    'REST API': sandbox.base_url,
    App: sandbox.app_url,
    'Sign-in': `${signIn.email}  ${signIn.password}`,
    'Key, every scope': sandbox.api_key,
    'Key, read only': sandbox.read_only_key,
    Team: sandbox.tenant_id,
    ...(endpoint && { 'Webhook endpoint': `${endpoint.url}  ${endpoint.secret}` }),
    Control: `${sandbox.control_url}  ${sandbox.control_token}`,
  };
  return [
    'The sandbox is ready.',
    fields(shown),
    table(members.map(({ member_id, role, status, email }) => ({ member_id, role, status, email }))),
    fields(ids),
    `Try it:  curl -H 'Authorization: Bearer ${sandbox.api_key}' ${sandbox.base_url}/me`,
    ending,
  ].join('\n\n');
};

interface Format {
  json?: true | undefined;
  env?: true | undefined;
}

const present = (sandbox: Announcement, { json, env }: Format, ending: string): string => {
  if (json) return JSON.stringify(sandbox, null, 2);
  return env ? environmentOf(sandbox) : describe(sandbox, ending);
};

const commandsOf = (group: Command, { env, stdout, stderr }: ProcessContext): void => {
  const print = (value: object, { json }: Format): void => {
    stdout.write(`${json ? JSON.stringify(value, null, 2) : fields(value)}\n`);
  };

  group
    .command('start', { isDefault: true })
    .description('start a sandbox: the real service with a seeded team, on a database that is deleted at the end')
    .option('--port <port>', 'where API and app listen; 4010, or a free port if that is taken', portNumber)
    .option('--host <address>', 'the address to listen on; 0.0.0.0 for clients in other containers', '127.0.0.1')
    .option(
      '--webhook-target <url>',
      'make an endpoint for all events but audit.recorded there; http://localhost:… is fine',
    )
    .option('--detach', 'leave it running in the background, and end this command once it is ready')
    .option('--json', 'print one JSON document')
    .option('--env', 'print lines for a file of environment variables')
    .action(async (options) => {
      refuseInProduction(env);
      const { port, host, webhookTarget, detach } = options;
      const quiet = options.json === true || options.env === true;
      if (detach) {
        const given = [...(port === undefined ? [] : ['--port', String(port)]), '--host', host];
        const target = webhookTarget === undefined ? [] : ['--webhook-target', webhookTarget];
        const sandbox = await startInBackground(['sandbox', 'start', ...given, ...target]);
        const ending = `It runs in the background until: sandbox stop --port ${new URL(sandbox.app_url).port}`;
        stdout.write(`${present(sandbox, options, ending)}\n`);
        return;
      }
      const report = (line: string) => void (quiet || stderr.write(`${line}\n`));
      const sandbox = await startHere({ port, host, webhookTarget, environment: env, report });
      stdout.write(`${present(sandbox, options, 'Ctrl-C, or `sandbox stop`, ends it and deletes its data.')}\n`);
    });

  const forRunning = <Usage extends string>(usage: Usage, description: string) =>
    group
      .command(usage)
      .description(description)
      .option('--port <port>', 'the port of the sandbox, if several run', portNumber)
      .option('--json', 'print one JSON document');

  forRunning('status', 'list the running sandboxes; if there is one, print what its start printed')
    .option('--env', 'print lines for a file of environment variables')
    .action(({ port, json, env: asEnvironment }) => {
      const running = port === undefined && !asEnvironment ? runningSandboxes() : [findSandbox(port)];
      const [only, another] = running;
      if (json) stdout.write(`${JSON.stringify(running, null, 2)}\n`);
      else if (only && !another) {
        stdout.write(`${present(only, { env: asEnvironment }, 'It is running.')}\n`);
      } else stdout.write(`${table(running.map(({ app_url, tenant_id, pid }) => ({ app_url, tenant_id, pid })))}\n`);
    });

  forRunning('stop', 'end a sandbox and delete its data').action(async (options) => {
    const sandbox = findSandbox(options.port);
    await ask(sandbox, 'POST /stop');
    print({ app_url: sandbox.app_url, stopped: true }, options);
  });

  forRunning('reset', 'go back to the state after the start: data, keys and clock').action(async (options) =>
    print(await ask(findSandbox(options.port), 'POST /reset'), options),
  );

  forRunning(
    'clock [span]',
    'show the clock, or let a span pass: +3d, +2h, +1d12h. Everything that is due in the span is done',
  ).action(async (span, options) => {
    const sandbox = findSandbox(options.port);
    print(
      await (span === undefined ? ask(sandbox, 'GET /clock') : ask(sandbox, 'POST /clock', { move: span })),
      options,
    );
  });

  forRunning('trigger <event>', 'do the action that raises an event, and print the id of the event')
    .option(
      '--member <id>',
      'the member who trains, has the assignment or is removed; if absent, an active member or a new one',
    )
    .option('--score <0-100>', 'the score of the evaluation', score)
    .option('--training <id>', 'the training whose evaluation is saved again')
    .option('--assignment <id>', 'the assignment that was practised, or is completed')
    .option('--email <email>', 'the address of the person who joins')
    .option('--reason <text>', 'the reason why the sync failed')
    .option(
      '--endpoint <id>',
      'the endpoint that fails or works again; by default one that is made for this and then deleted',
    )
    .addHelpText(
      'after',
      `\nEvents:\n${allEventTypes.map((type) => `  ${type.padEnd(22)} ${eventTypes[type]}`).join('\n')}`,
    )
    .action(async (event, { port, json, ...options }) =>
      print(await ask(findSandbox(port), 'POST /trigger', { event, ...options }), { json }),
    );

  forRunning('create-key', 'make a key of the team, with every scope unless some are given')
    .option('--scopes <a,b>', 'its scopes', scopeList)
    .option('--expires <span>', 'the time until it expires, like +2d; without it, never')
    .option('--name <name>', 'its name')
    .action(async ({ port, json, ...options }) => print(await ask(findSandbox(port), 'POST /keys', options), { json }));
};

/** The command line of the packed service. */
export const sandboxProgram = (context: ProcessContext, json: boolean): Command => {
  const program = commandLine('team-customer-api', context, json)
    .description('The Team Customer API as a test double: the real service on your machine or in your CI.')
    .version(userAgent.replace(/^.*\//, ''));
  const group = program
    .command('sandbox')
    .description('start a sandbox, move its clock, trigger its events. Not for production');
  commandsOf(group, context);
  return program;
};
