import { once } from 'node:events';
import { forwardTo } from './forward.ts';
import { numberOption, readOptions, secretsOf, urlOption, UsageError } from './options.ts';
import { printer } from './print.ts';
import { startReceiver } from './receiver.ts';

const help = `Receives webhooks on this machine, verifies their signatures and prints them.

Usage: npx team-customer-api-client listen [options]

  --port <number>       Where to listen, by default 8787; 0 takes a free port
  --host <address>      By default 127.0.0.1
  --secret <whsec_…>    The endpoint's secret; may be repeated. By default the variable WEBHOOK_SECRET.
                        Without a secret, signatures are not checked
  --forward <url>       Posts each genuine event to your program and passes its answer on.
                        Without it the answer is 204
  --tls-cert <file>, --tls-key <file>
                        Listens with HTTPS; both are PEM files
  --json                One line of JSON for each event, for programs

The service sends only to public HTTPS addresses: give the port to a tunnel, and the tunnel's URL to the endpoint.
Ctrl-C ends it.`;

const options = {
  port: { type: 'string', default: '8787' },
  host: { type: 'string', default: '127.0.0.1' },
  secret: { type: 'string', multiple: true },
  forward: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** Resolves when the person or the system ends the program. */
const untilEnded = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

const run = async (args: string[]): Promise<number> => {
  const given = readOptions(args, options);
  const { 'tls-cert': cert, 'tls-key': key } = given;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--tls-cert and --tls-key belong together.');
  const secrets = secretsOf(given.secret);
  const forward = given.forward === undefined ? undefined : forwardTo(urlOption('forward', given.forward));
  const receiver = await startReceiver({
    host: given.host,
    port: numberOption('port', given.port, { least: 0, most: 65_535 }),
    secrets,
    forward,
    print: printer(given.json),
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
  });
  console.error(`Listening on ${receiver.url}`);
  if (secrets.length === 0) console.error('There is no secret, so signatures are not checked. See --help.');
  await untilEnded();
  await receiver.close();
  return 0;
};

export const listenCommand = { help, run };
