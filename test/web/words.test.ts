import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

/** All texts of the app, its mails and its reasons, with the code around them. */
const source = async (): Promise<string> => {
  const texts: string[] = [];
  for await (const file of filesMatching('src/{web,core,modules,platform,trpc,webhooks}/**/*.{ts,tsx}')) {
    texts.push(await readFile(file, 'utf8'));
  }
  return texts.join('\n');
};

describe('the texts of the app', () => {
  it.each([
    [/Einzelne Personen sind verborgen|Single people are hidden/, 'Personenbezogene Daten ausgeblendet'],
    [/Diese Liste ist geschlossen|This list is closed/, 'Wegen Datenschutz nicht verfügbar'],
    [/Recht[^'`]{0,60} nehmen['`?]|Take the right/, "'Berechtigung entziehen', 'Revoke permission'"],
    [/Nichts kam mehr an|Nothing got through/, "'Fehler seit', 'Failing since'"],
    [/Form (?:der|seiner) Ereignisse|Shape of its events/, "'API-Version', 'API version'"],
    [/Sehen Sie in Ihr Postfach|Look into your mail/, "'E-Mail gesendet', 'Check your email'"],
    [/[Gg]ebremst|'Limited'/, "'Rate-Limit (429)', 'Rate limited (429)'"],
    [/Zuletzt passiert|What happened lately/, "'Letzte Aktivität', 'Recent activity'"],
    [/Noch einmal senden|Send again/, "'Als neue Zustellung senden', 'Replay event'"],
    [/Jetzt wiederholen/, "'Jetzt erneut versuchen', 'Retry now'"],
    [/'Zuerst die |das Neueste zuerst/, "'Zuerst Empfänger auswählen', 'Select recipients first'"],
    [/(?:ist|sind) unterwegs\.'|on (?:its|their) way\.'/, "'Einladungen gesendet.', 'invitations sent.'"],
    [/Das wird nicht angenommen|'Not accepted: '/, "'Status', 'Status'"],
  ] as const)('have %s no more, but %s', async (former, present) => {
    const text = await source();
    expect(former.exec(text)?.[0]).toBeUndefined();
    expect(text).toContain(present);
  });

  it('have one word for a failing endpoint, in the list and on the overview', async () => {
    const words = (await source()).match(/'[^']*', 'Failing'/g);
    expect(words).toEqual(["'Gestört', 'Failing'"]);
  });
});
