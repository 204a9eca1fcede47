import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { makeSecret } from '../../src/deliveries/message.ts';
import { startReceiver } from '../../src/packages/client/cli/receiver.ts';
import type { WebhookEvent } from '../../src/server/developers/examples/verify-webhook.mts';
import { receiver } from '../../src/server/developers/examples/express-receiver.mts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { listen } from '../support/ports.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';
import { has, output } from './webhook-guide.ts';

// The receivers of the documentation, as a reader would start them.

export const secret = makeSecret();
const secrets = `${secret},whsec_another`;

export const folder = throwAwayFolder();

export interface Started {
  url: string;
  close: () => Promise<void>;
}

/** Starts a program in the folder. Its first line names its port. */
const startProgram = async (command: string, args: readonly string[]) => {
  const child = spawn(command, args, {
    cwd: folder,
    // Express prints the errors that it answers with, except in tests.
    env: { PORT: '0', WEBHOOK_SECRETS: secrets, WEBHOOK_SECRET: secret, NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => void printed.push(line));
  await once(lines, 'line');
  const [line = ''] = printed.splice(0);
  const port = /Listening on (\d+)$|http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.slice(1).find(Boolean);
  return {
    url: `http://127.0.0.1:${port ?? expect.unreachable(line)}/`,
    /** The lines since the start. */
    printed,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
};

/** A complete program, with the settings that the other examples write. */
const startExample = async (command: string, files: readonly string[]) => {
  for (const file of files) await writeFile(join(folder, file), exampleFile(file));
  await writeFile(join(folder, '.env'), `API_KEY=unused\nWEBHOOK_SECRETS=${secrets}\n`);
  return startProgram(command, [files.at(-1) ?? '']);
};

const startPlainNode = () => startExample(process.execPath, ['receiver.mjs']);
const startPython = () => startExample('/usr/bin/python3', ['verify_webhook.py', 'receiver.py']);

export const kept: WebhookEvent[] = [];
const startExpress = async (): Promise<Started> => {
  const server = createServer(receiver([secret], async (event) => void kept.push(event)));
  return {
    url: `http://127.0.0.1:${await listen(server)}/webhooks`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** What the page says about getting the body and the header. The two languages of the page say the same. */
const expressionsFor = (language: string): [body: string, header: string] => {
  const [first, second] = ['en', 'de'].map((folder) => {
    const page = readFileSync(`src/server/developers/pages/${folder}/webhook-signatures.md`, 'utf8');
    const [, sentence = ''] = new RegExp(`^## ${language}\n\n(.*)$`, 'm').exec(page) ?? [];
    return [...sentence.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  });
  expect(first).toEqual(second);
  const [body = '', header = ''] = first ?? [];
  return [body, header];
};

const startPhp = async (): Promise<Started> => {
  const [body, header] = expressionsFor('PHP');
  await writeFile(join(folder, 'verify-webhook.php'), exampleFile('verify-webhook.php'));
  await writeFile(
    join(folder, 'receiver.php'),
    `<?php
require 'verify-webhook.php';
$body = ${body};
$header = ${header};
http_response_code(is_genuine($body, $header, explode(',', getenv('WEBHOOK_SECRETS'))) ? 204 : 400);`,
  );
  // PHP takes no free port by itself, and writes what it does to the error output.
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return startProgram('/bin/sh', ['-c', `exec /usr/bin/php -S 127.0.0.1:${port} receiver.php 2>&1`]);
};

const startGo = async (): Promise<Started> => {
  const [body, header] = expressionsFor('Go');
  const own = join(folder, 'go');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'verify.go'), exampleFile('verify-webhook.go').replace('package webhooks', 'package main'));
  await writeFile(
    join(own, 'receiver.go'),
    `package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	http.HandleFunc("/", func(writer http.ResponseWriter, request *http.Request) {
		body, err := ${body}
		header := ${header}
		if err != nil || !IsGenuine(body, header, strings.Split(os.Getenv("WEBHOOK_SECRETS"), ","), time.Now()) {
			writer.WriteHeader(400)
			return
		}
		writer.WriteHeader(204)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("Listening on", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}`,
  );
  const program = join(folder, 'receiver');
  await output('/usr/bin/go', ['build', '-o', program, 'verify.go', 'receiver.go'], {
    cwd: own,
    env: { HOME: folder, GO111MODULE: 'off' },
  });
  return startProgram(program, []);
};

const installClient = async (): Promise<string> => {
  await cp('dist/client', join(folder, 'node_modules', 'team-customer-api-client'), { recursive: true });
  return readFileSync('src/packages/client/README.md', 'utf8');
};

/** The handler of the client's README, with the client as it is installed and requests as a framework makes them. */
const startHandler = async (): Promise<Started> => {
  const readme = await installClient();
  const handler = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].find(([, code = '']) => code.includes('receive ='));
  await writeFile(join(folder, 'receive.mts'), handler?.[1] ?? expect.unreachable('no handler'));
  await writeFile(
    join(folder, 'framework.mjs'),
    `import { createServer } from 'node:http';
    import { Readable } from 'node:stream';
    import { receive } from './receive.mts';
    const server = createServer(async (incoming, response) => {
      const { headers, method } = incoming;
      const body = Readable.toWeb(incoming);
      const answer = await receive(new Request('http://receiver/', { method, headers, body, duplex: 'half' }));
      response.writeHead(answer.status).end();
    });
    server.listen(0, '127.0.0.1', () => console.log('Listening on ' + server.address().port));`,
  );
  return startProgram(process.execPath, ['framework.mjs']);
};

/** The client in Express, with the parser that its README names. */
const startClientInExpress = async (): Promise<Started> => {
  const [parser] = /express\.raw\(.*?\)(?=`)/.exec(await installClient()) ?? expect.unreachable('no parser');
  await rm(join(folder, 'node_modules', 'express'), { force: true });
  await symlink(join(process.cwd(), 'node_modules', 'express'), join(folder, 'node_modules', 'express'));
  await writeFile(
    join(folder, 'express.mjs'),
    `import express from 'express';
    import { verifyWebhook } from 'team-customer-api-client/webhooks';
    const app = express();
    app.post('/', ${parser}, (request, response) =>
      verifyWebhook({ secret: process.env.WEBHOOK_SECRET, headers: request.headers, body: request.body }).then(
        () => response.status(204).end(),
        () => response.status(400).end(),
      ));
    const server = app.listen(0, '127.0.0.1', () => console.log('Listening on ' + server.address().port));`,
  );
  return startProgram(process.execPath, ['express.mjs']);
};

/** The command `listen` of the client. */
const startListen = (): Promise<Started> =>
  startReceiver({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    forward: undefined,
    print: () => {},
    tls: undefined,
  });

/** Complete programs. */
export const programs: [name: string, start: typeof startPlainNode][] = [['plain Node', startPlainNode]];
if (await has('/usr/bin/python3', '--version')) programs.push(['Python', startPython]);

/** Complete receivers, with what they do after the signature is checked. */
export const receivers: [name: string, start: () => Promise<Started>][] = [...programs, ['Express', startExpress]];

const hasPhp = await has('/usr/bin/php', '--version');
const hasGo = await has('/usr/bin/go', 'version');

/** All places that check a signature. `largest` is the size of the largest body, where the place has a limit. */
export const checks: { name: string; start: () => Promise<Started>; largest?: number }[] = [
  ...receivers.map(([name, start]) => ({ name, start, largest: 65_536 })),
  ...(hasPhp ? [{ name: 'PHP', start: startPhp, largest: 65_536 }] : []),
  ...(hasGo ? [{ name: 'Go', start: startGo, largest: 65_536 }] : []),
  { name: 'the client in Express', start: startClientInExpress, largest: 65_536 },
  // Its size is limited by the framework.
  { name: 'the client in a handler for Request and Response', start: startHandler },
  { name: 'the command listen', start: startListen, largest: 1_048_576 },
];
