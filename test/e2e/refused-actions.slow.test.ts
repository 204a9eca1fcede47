import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { goWithin, hasBrowser, openAnew, useApp } from './support/app.ts';
import { handsOn, walks, type Step } from './support/refused-actions.ts';

// Each action of the app is refused once, and the page says so.

const procedureOf = (action: string): string => action.split(': ')[1] ?? '';

/** The text by which a refusal is recognized. */
const markOf = (procedure: string): string => `Refused for this test: ${procedure}`;

/** Refuses the calls of the current procedure, and lets all others through. */
const refuseCalls = async (page: Page): Promise<(procedure: string | undefined) => void> => {
  let refused: string | undefined;
  await page.route(/\/trpc\/(app|api|entrance)\//, async (route) => {
    const [, , router, name] = new URL(route.request().url()).pathname.split('/');
    const procedure = `${router}.${name}`;
    if (route.request().method() !== 'POST' || procedure !== refused) return route.fallback();
    const title = markOf(procedure);
    const problem = { code: 'forbidden', status: 403, title, detail: title, request_id: 'a request id' };
    const json = { error: { message: title, code: -32603, data: { problem } } };
    return route.fulfill({ status: 403, json });
  });
  return (procedure) => {
    refused = procedure;
  };
};

const dropDrafts = `for (const key of Object.keys(sessionStorage)) if (key.startsWith('draft:')) sessionStorage.removeItem(key)`;

describe.skipIf(!hasBrowser)('a refusal is shown of every action:', () => {
  const app = useApp();

  const open = async (page: Page, { at, loads }: Step, isSignedIn: boolean): Promise<void> => {
    if (at === undefined) return;
    await page.evaluate(dropDrafts);
    if (!isSignedIn || loads) await page.goto(at);
    else if (new URL(page.url()).pathname.startsWith('/sign-in')) await goWithin(page, at);
    else await openAnew(page, at);
    if (isSignedIn) await app.settled(page);
  };

  it.each(walks.map((walk) => [walk.name, walk] as const))(
    '%s',
    async (_name, walk) => {
      const { email, steps } = await walk.begin(app);
      const opening = { language: 'en', unused: true } as const;
      const page = await (email === undefined ? app.open('/sign-in', opening) : app.signedIn(email, '/', opening));
      app.expectFailures(page, 401, 403);
      const refuse = await refuseCalls(page);
      /** What is wrong with any of them, so that one run finds all. */
      const wrong: string[] = [];
      for (const [action, step] of steps) {
        const procedure = procedureOf(action);
        refuse(procedure);
        try {
          await open(page, step, email !== undefined);
          await step.does(handsOn(page));
          await page
            .getByRole('alert')
            .filter({ hasText: markOf(procedure) })
            .first()
            .waitFor();
        } catch (error) {
          wrong.push(
            `${action}: ${String(error).slice(0, 400)}\n${(await page.locator('body').innerText()).slice(0, 600)}`,
          );
        }
        refuse(undefined);
      }
      expect(wrong).toEqual([]);
    },
    600_000,
  );
});
