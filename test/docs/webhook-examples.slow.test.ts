import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signatureOf } from '../../src/deliveries/message.ts';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { has, misses, output, readVectors } from './webhook-guide.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const here = {
  python: await has('python3', '--version'),
  php: await has('php', '--version'),
  go: await has('go', 'version'),
  openssl: (await has('bash', '--version')) && (await has('openssl', 'version')),
};

const folder = throwAwayFolder();

const vectors = await readVectors();

/** An example as a program: it reads the vectors and writes which of them it accepts. */
const examples: Record<
  string,
  { example: string; file: string; command: string; args: string[]; here: boolean; program: (code: string) => string }
> = {
  'Plain Node': {
    example: 'receiver.mjs',
    file: 'check.mjs',
    command: process.execPath,
    args: [],
    here: true,
    program: (code) => `${code.replace(/^const server = [^]*/m, '')}
      const vectors = JSON.parse(await new Response(process.stdin).text());
      console.log(JSON.stringify(vectors.map(({ body, signature, secrets, now }) =>
        isGenuine(Buffer.from(body), signature ?? undefined, secrets, now * 1000))));`,
  },
  Python: {
    example: 'verify_webhook.py',
    file: 'check.py',
    command: 'python3',
    args: [],
    here: here.python,
    program: (code) => `${code}
import json, sys
print(json.dumps([is_genuine(v["body"].encode(), v["signature"], v["secrets"], v["now"])
                  for v in json.loads(sys.stdin.buffer.read())]))`,
  },
  PHP: {
    example: 'verify-webhook.php',
    file: 'check.php',
    command: 'php',
    args: [],
    here: here.php,
    program: (code) => `${code}
echo json_encode(array_map(
    fn ($v) => is_genuine($v['body'], $v['signature'], $v['secrets'], $v['now']),
    json_decode(stream_get_contents(STDIN), true)
));`,
  },
  Go: {
    example: 'verify-webhook.go',
    file: 'check.go',
    command: 'go',
    args: ['run'],
    here: here.go,
    program: (code) => `${code
      .replace('package webhooks', 'package main')
      .replace('import (', 'import (\n\t"encoding/json"\n\t"os"')}
func main() {
	var vectors []struct {
		Body, Signature string
		Secrets         []string
		Now             int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&vectors); err != nil {
		panic(err)
	}
	accepted := []bool{}
	for _, v := range vectors {
		accepted = append(accepted, IsGenuine([]byte(v.Body), v.Signature, v.Secrets, time.Unix(v.Now, 0)))
	}
	if err := json.NewEncoder(os.Stdout).Encode(accepted); err != nil {
		panic(err)
	}
}`,
  },
};

/** Signed with an empty key, as if a setting were missing: every example must refuse it. */
const forgeries = vectors.map(({ name, body, now }) => ({
  name: `${name}, forged with no secret`,
  body,
  now,
  secrets: [''],
  signature: signatureOf('', body, new Date(now * 1000)),
  accepted: false,
}));

describe('the examples', () => {
  it.for(Object.entries(examples))('%s: accept and refuse as the vectors require', async ([, example], { skip }) => {
    skip(...misses(example.command, example.here));
    await writeFile(join(folder, example.file), example.program(exampleFile(example.example)));
    const all = [...vectors, ...forgeries];
    const written = await output(example.command, [...example.args, example.file], {
      cwd: folder,
      env: { HOME: folder },
      input: JSON.stringify(all),
    });
    const accepted = z.array(z.boolean()).parse(JSON.parse(written));
    const verdicts = all.map(({ name }, index) => [name, accepted[index]]);
    expect(verdicts).toEqual(all.map(({ name, accepted }) => [name, accepted]));
  });

  it('openssl: prints the expected signature of a request', async ({ skip }) => {
    skip(...misses('bash or openssl', here.openssl));
    const line = exampleFile('sign-by-hand.sh');
    for (const { name, body, signature, secrets, reason } of vectors) {
      const [, t] = /^t=(\d+)/.exec(signature ?? '') ?? [];
      // In a malformed header there is nothing to compare, and the age does not affect the signature.
      if (t === undefined || reason === 'malformed') continue;
      await writeFile(join(folder, 'body'), body);
      const printed = await Promise.all(
        secrets.map((key) =>
          output('bash', ['-euo', 'pipefail', '-c', line], { cwd: folder, env: { T: t, SECRET: key } }),
        ),
      );
      for (const text of printed) expect(text).toMatch(/^[0-9a-f]{64}\n$/);
      const fits = printed.some((text) => signature?.includes(`v1=${text.trim()}`));
      expect(fits, name).toBe(reason !== 'wrong');
    }
  });
});
