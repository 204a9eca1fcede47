import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { languages } from '../../src/core/language.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

const pages = ['directory', 'directory-okta', 'directory-entra'];

const textOf = (language: string, page: string) =>
  readFileSync(new URL(`../../src/server/developers/pages/${language}/${page}.md`, import.meta.url), 'utf8');

it.for(languages)('the commands of the pages about directories work word by word (%s)', async (language) => {
  for (const page of pages) {
    const blocks = [...textOf(language, page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    expect(blocks, page).not.toEqual([]);
    const team = await aTeam(service);
    const { text } = await team.aKey({ scopes: ['directory:manage'] });
    const local = blocks.map((one) => one.replaceAll('{{public_url}}', service.origin).replaceAll('$API_KEY', text));
    // Commands that remove a person have no answer, and need the id that another has answered.
    const isEnd = (one: string) => one.includes('-X DELETE');
    const script = local.filter((one) => !isEnd(one)).join('\n');
    // Each answer is a line.
    const commands = script.replaceAll(/^curl /gm, 'echo; curl --silent --show-error ');
    const { stdout } = await promisify(execFile)('bash', ['-c', commands]);
    const answers: { detail?: string; totalResults?: number; Resources?: { id: string }[] }[] = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    expect(answers, page).toHaveLength(script.split(/^curl /m).length - 1);
    for (const answer of answers) expect(answer.detail, page).toBeUndefined();
    expect(answers.at(-1)?.totalResults, page).toBe(page === 'directory' ? 1 : 0);
    if (page !== 'directory') continue;
    const end = local.find(isEnd)?.replace('$USER_ID', answers.at(-1)?.Resources?.[0]?.id ?? '') ?? '';
    const ended = end.replace('curl ', 'curl --silent --show-error --fail -w "%{http_code}" ');
    expect((await promisify(execFile)('bash', ['-c', ended])).stdout).toBe('204');
  }
});
