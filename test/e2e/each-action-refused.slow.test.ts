import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, openAnew, useApp } from './support/app.ts';
import { handsOn, walks, type Step } from './support/refused-actions.ts';
import { alike, saidBy } from './support/said.ts';

// Each action of the app is refused once, and the page says so. The files in each-action-refused/ have what it sent, and
// the dialogs before it: read their differences after `npx vitest run FILE -u`.

const procedureOf = (action: string): string => action.split(': ')[1] ?? '';

interface Refusal {
  procedure: string;
  /** What the page is to say. It differs from step to step, because a message in the corner of the page stays for a while. */
  title: string;
}

/** Refuses the calls of one procedure at a time, and lets all others through. `onCall` gets what was sent. */
const refuseCalls = async (
  page: Page,
  onCall: (sent: string | null) => void,
): Promise<(refusal: Refusal | undefined) => void> => {
  let refused: Refusal | undefined;
  await page.route(/\/trpc\/(app|api|entrance)\//, async (route) => {
    const [, , router, name] = new URL(route.request().url()).pathname.split('/');
    if (route.request().method() !== 'POST' || `${router}.${name}` !== refused?.procedure) return route.fallback();
    onCall(route.request().postData());
    const { title } = refused;
    const problem = { code: 'forbidden', status: 403, title, detail: title, request_id: 'a request id' };
    const json = { error: { message: title, code: -32603, data: { problem } } };
    return route.fulfill({ status: 403, json });
  });
  return (refusal) => {
    refused = refusal;
  };
};

const dropDrafts = `for (const key of Object.keys(sessionStorage)) if (key.startsWith('draft:')) sessionStorage.removeItem(key)`;

describe.skipIf(!hasBrowser)('a refusal is shown of every action:', () => {
  const app = useApp();

  const open = async (page: Page, { at, loads }: Step, isSignedIn: boolean): Promise<void> => {
    if (at === undefined) return;
    await page.evaluate(dropDrafts);
    await (!isSignedIn || loads ? page.goto(at) : openAnew(page, at));
    if (isSignedIn) await app.settled(page);
  };

  it.each(walks.map((walk) => [walk.name, walk] as const))(
    '%s',
    async (_name, walk) => {
      const { email, steps } = await walk.begin(app);
      const opening = { language: 'en', unused: true } as const;
      const page = await (email === undefined ? app.open('/sign-in', opening) : app.signedIn(email, '/', opening));
      app.expectFailures(page, 401, 403);
      let [sent, dialogs] = ['', new Array<string>()];
      const refuse = await refuseCalls(page, (body) => (sent = body ?? ''));
      /** What each action sent, and the dialogs before it. */
      const done: string[] = [];
      /** What is wrong with any of them, so that one run finds all. */
      const wrong: string[] = [];
      for (const [at, [action, step]] of steps.entries()) {
        const title = `Refused in step ${at} of this test`;
        refuse({ procedure: procedureOf(action), title });
        try {
          await open(page, step, email !== undefined);
          [sent, dialogs] = ['', []];
          const look = async (dialog: Locator) => {
            await app.settled(page);
            dialogs.push(await saidBy(dialog));
          };
          await step.does(handsOn(page, look));
          await page.getByRole('alert').filter({ hasText: title }).first().waitFor();
          done.push([`# ${action}`, sent, ...dialogs].join('\n'));
          // Its button can be pressed again. A call that waits for a proof is still under way.
          if (!action.startsWith('session/proof-dialog.tsx'))
            await page.locator('button[data-loading]').waitFor({ state: 'detached' });
        } catch (error) {
          wrong.push(
            `${action}: ${String(error).slice(0, 400)}\n${(await page.locator('body').innerText()).slice(0, 600)}`,
          );
        }
        refuse(undefined);
      }
      expect(wrong).toEqual([]);
      await expect(alike(`${done.join('\n\n')}\n`)).toMatchFileSnapshot(
        `each-action-refused/${walk.name.replaceAll(' ', '-')}.txt`,
      );
    },
    600_000,
  );
});
