import { forwardTo } from './forward.ts';
import { numberOption, readOptions, secretsOf, untilEnded, urlOption, UsageError, variable } from './options.ts';
import { poll } from './poll.ts';
import { makePrinter } from './print.ts';
import { startReceiver } from './receiver.ts';

const help = `Receives webhooks on this machine, verifies their signatures and prints them.
With --poll it reads the team's events with a key instead: the service need not reach this machine.

Usage: npx team-customer-api-client listen [options]
       npx team-customer-api-client listen --poll [key] [options]

  --port <number>       Where to listen, by default 8787; 0 takes a free port
  --host <address>      By default 127.0.0.1
  --secret <whsec_…>    The endpoint's secret; may be repeated. By default the variable WEBHOOK_SECRET.
                        Without a secret, signatures are not checked
  --forward <url>       Posts each genuine event to your program and passes its answer on.
                        Without it the answer is 204
  --tls-cert <file>, --tls-key <file>
                        Listens with HTTPS; both are PEM files
  --json                One line of JSON for each event, for programs

  --poll [key]          Reads GET /events; the key is one with the scope webhooks:manage, by default the variable
                        API_KEY. With --forward and a secret, events are signed as the service does
  --base-url <url>      Where the service is, by default the variable API_BASE_URL
  --type <type>         With --poll: only events of this type
  --from <oldest|now>   With --poll: where to start, by default now
  --cursor <cursor>     With --poll: goes on where an earlier one ended

The service sends only to public HTTPS addresses: give the port to a tunnel, and the tunnel's URL to the endpoint,
or use --poll. Ctrl-C ends it.`;

const options = {
  port: { type: 'string', default: '8787' },
  host: { type: 'string', default: '127.0.0.1' },
  secret: { type: 'string', multiple: true },
  forward: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  json: { type: 'boolean', default: false },
  poll: { type: 'string' },
  'base-url': { type: 'string' },
  type: { type: 'string' },
  from: { type: 'string', default: 'now' },
  cursor: { type: 'string' },
} as const;

/** Only `--poll` uses the key of the environment. */
const withKey = (args: string[]): string[] => {
  const at = args.indexOf('--poll');
  if (at < 0 || (args[at + 1] !== undefined && !args[at + 1]?.startsWith('-'))) return args;
  return args.toSpliced(at, 1, `--poll=${variable('API_KEY') ?? ''}`);
};

const run = async (args: string[]): Promise<number> => {
  const given = readOptions(withKey(args), options);
  const secrets = secretsOf(given.secret);
  const forward = given.forward === undefined ? undefined : forwardTo(urlOption('forward', given.forward));
  const print = makePrinter(given.json);
  if (given.poll !== undefined) {
    const { poll: key, type, cursor, from: start } = given;
    if (key === '') throw new UsageError('--poll needs a key, or the variable API_KEY.');
    if (start !== 'oldest' && start !== 'now') throw new UsageError('--from is oldest or now.');
    const address = given['base-url'] ?? variable('API_BASE_URL');
    const baseUrl = address === undefined ? undefined : urlOption('base-url', address).href;
    const controller = new AbortController();
    void untilEnded().then(() => controller.abort());
    console.error('Reading events. Ctrl-C ends it.');
    return poll({ key, baseUrl, type, cursor, start, secret: secrets[0], forward, print, signal: controller.signal });
  }
  const { 'tls-cert': cert, 'tls-key': key } = given;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--tls-cert and --tls-key belong together.');
  const receiver = await startReceiver({
    host: given.host,
    port: numberOption('port', given.port, { min: 0, max: 65_535 }),
    secrets,
    forward,
    print,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
  });
  console.error(`Listening on ${receiver.url}`);
  if (secrets.length === 0) console.error('There is no secret, so signatures are not checked. See --help.');
  await untilEnded();
  await receiver.close();
  return 0;
};

export const listenCommand = { help, run };
