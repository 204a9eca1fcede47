import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Locator, type Page, type Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, vi } from 'vitest';
import { z } from 'zod';
import type { MaintenanceState } from '../../../src/server/http/request-context.ts';
import { makeBrowser, aPerson, testPassword } from '../../support/people.ts';
import { certificates } from '../../support/certificates.ts';
import { forgetDeliveries } from '../../support/worker.ts';
import { localFeeds } from '../../support/receiver.ts';
import { twoFreePorts } from '../../support/ports.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { aTeam, type TestTeam } from '../../support/team.ts';
import { patience } from '../../support/patience.ts';

export type Language = 'de' | 'en';

/** The password of all people in these tests. */
export const password = testPassword;

/** Whether these tests can run here. */
export const hasBrowser = inject('chromium') !== '';

interface SigningIn extends Opening {
  /** Always through the sign-in form, even if this person has used it before. */
  byForm?: boolean;
}

interface Opening {
  language?: Language;
  scheme?: 'light' | 'dark';
  width?: number;
  /** In a browser that has loaded nothing before. */
  unused?: boolean;
  /** Of a browser that has loaded nothing before. All others are in Berlin. */
  timeZone?: string;
  /** In a browser whose scrollbars take room, as they do on Windows and Linux. Otherwise they are hidden. */
  scrollbars?: boolean;
}

export interface AppTest {
  readonly service: TestService;
  /** A team whose owner can sign in. */
  team(options?: Parameters<typeof aTeam>[1]): Promise<TestTeam>;
  /** Somebody of the team who can sign in. */
  person(
    team: TestTeam,
    role: 'admin' | 'member',
    rights?: string[],
  ): Promise<{ email: string; member_id: string; user_id: string }>;
  /** A new browser, on a page before the sign-in. */
  open(path: string, opening?: Opening): Promise<Page>;
  /**
   * The same, signed in as the person with this email: the first time through the sign-in form, later with an injected
   * session.
   */
  signedIn(email: string, path: string, opening?: SigningIn): Promise<Page>;
  /** Waits until the page shows its content and has had no running request for a moment. */
  settled(page: Page): Promise<void>;
  /** Announces that the page will show failed requests, which otherwise fail a test. */
  expectFailures(page: Page, ...statuses: number[]): void;
  /** Announces that the page will lose its server, and its files. */
  expectOutage(page: Page): void;
}

/** The faults of a page: errors on its console, exceptions, failed requests. */
interface Watch {
  readonly faults: string[];
  readonly allowed: Set<number>;
  /** Whether faults are ignored. */
  outage: boolean;
  /** The number of running requests. */
  readonly inFlight: Set<Request>;
}

const watch = (page: Page): Watch => {
  const watched: Watch = { faults: [], allowed: new Set(), outage: false, inFlight: new Set() };
  page.on('request', (request) => watched.inFlight.add(request));
  page.on('requestfinished', (request) => watched.inFlight.delete(request));
  page.on('pageerror', (error) => watched.faults.push(`exception: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !watched.allowed.has(response.status())) {
      watched.faults.push(`${response.status()} ${response.request().method()} ${response.url()}`);
    }
  });
  page.on('requestfailed', (request) => {
    watched.inFlight.delete(request);
    const reason = request.failure()?.errorText ?? '';
    // Aborted because the page was left.
    if (!reason.includes('ERR_ABORTED')) watched.faults.push(`failed: ${request.url()} ${reason}`);
  });
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) watched.faults.push(`console: ${message.text()}`);
  });
  return watched;
};

/** Shared by all test files in one worker process. Both end with the process. */
interface Shared {
  service: TestService;
  browser: Browser;
  /** The browser's user agent. */
  userAgent: string;
}

const noMaintenance: MaintenanceState = { current: undefined };

/** Its host is a name, which passkeys need. */
const startAppService = async (
  maintenance: MaintenanceState,
  environment: Record<string, string> = {},
): Promise<TestService> => {
  const port = await twoFreePorts();
  const origin = `http://localhost:${port}`;
  const service = await startTestService({
    maintenance,
    environment: {
      SIGN_IN_RATE_PER_MIN: '100000',
      PORT: String(port),
      ...localFeeds((await certificates()).caFile()),
      ...environment,
    },
    publicUrl: origin,
  });
  return { ...service, origin };
};

const launch = ({ scrollbars = false } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: inject('chromium'),
    // Nothing here needs a graphics card, and emulating one takes CPU time, as does a process of its own for drawing.
    // Most functions of a page's scripts never run here, so none is compiled before its first call. Those that run do
    // so for a moment: optimizing them takes longer than it saves.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--in-process-gpu',
      '--disable-extensions',
      '--process-per-site',
      '--js-flags=--max-lazy --no-maglev --no-opt',
    ],
    ...(scrollbars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
  });

const startShared = async (): Promise<Shared> => {
  const [service, browser] = await Promise.all([startAppService(noMaintenance), launch()]);
  const page = await browser.newPage();
  const userAgent = z.string().parse(await page.evaluate('navigator.userAgent'));
  await page.context().close();
  return { service, browser, userAgent };
};

/** Says what a page shows, for a test that has failed. */
const say = async (page: Page): Promise<void> => {
  const shown = await page.locator('body').innerText().catch(String);
  console.error(`${page.url()} shows:\n${shown}`);
};

let shared: Promise<Shared> | undefined;

/**
 * Contexts that no test uses at the moment, by language. A page in such a context opens with a third less CPU time than
 * in a new one: the browser has the app's files, and the process of the context's first, empty page, which stays open,
 * has compiled them.
 */
type Idle = Record<Language, BrowserContext[]>;
const idleShared: Idle = { de: [], en: [] };

const openContext = async (
  browser: Browser,
  { origin }: TestService,
  language: Language,
  timezoneId = 'Europe/Berlin',
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    baseURL: origin,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
    viewport: { width: 1440, height: 900 },
    timezoneId,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(45_000);
  await context.addInitScript(`localStorage.getItem('language') ?? localStorage.setItem('language', '${language}');`);
  return context;
};

/** A context of the service: it has no cookies, permissions and stored values, like a new one. */
const takeContext = async ({ browser, service }: Shared, idle: Idle, language: Language): Promise<BrowserContext> => {
  const used = idle[language].pop();
  if (used) return used;
  const context = await openContext(browser, service, language);
  const first = await context.newPage();
  await first.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await first.goto('/');
  return context;
};

/** Removes all that a test has left in a context, except the files of the app. */
const giveBack = async (context: BrowserContext, idle: Idle, language: Language): Promise<void> => {
  const [first, ...others] = context.pages();
  if (!first) return; // a test has closed it
  for (const page of others) await page.close();
  await context.clearCookies();
  await context.clearPermissions();
  await first.evaluate('localStorage.clear()');
  idle[language].push(context);
};

// The first test in this process signs in through the form; all others start with the session that the form would give.
let hasFilledForm = false;

interface AppSettings {
  /** A service of their own, for tests that change what all teams have, such as the catalog. */
  own?: true;
  /** For tests of maintenance, in a service of their own. */
  maintenance?: MaintenanceState;
  /** Settings of the operator, in a service of its own. */
  environment?: Record<string, string>;
}

/** A service with the built app, and a browser. After each test, no page may have had a fault. */
export const useApp = ({ maintenance, own, environment }: AppSettings = {}): AppTest => {
  const separate = maintenance ?? ((own ?? environment) && { current: undefined });
  let running: Shared | undefined;
  /** What is to be done with the contexts of a test at its end. */
  const ends: (() => Promise<void>)[] = [];
  const watches = new Map<Page, Watch>();
  // Those of the shared service have loaded the app from another origin.
  const idle: Idle = separate ? { de: [], en: [] } : idleShared;

  beforeAll(async () => {
    if (!hasBrowser) return;
    const all = await (shared ??= startShared());
    running = separate ? { ...all, service: await startAppService(separate, environment) } : all;
    // Work that earlier files left must not be sent or synced in this one.
    await forgetDeliveries(running.service);
    await running.service.database.prisma.crmConnection.updateMany({ data: { nextSyncAt: null } });
  });
  // Many tests of the app only wait for what the page shows. Vitest, which demands an assertion of each, does not count that.
  beforeEach(() => {
    expect(running).toBeDefined();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') for (const page of watches.keys()) await say(page);
    const faults = [...watches.values()].flatMap(({ outage, faults: found }) => (outage ? [] : found));
    watches.clear();
    // The first context comes last, so that the next test takes it: it has run more of the app than a second one.
    for (const end of ends.splice(0).toReversed()) await end();
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    if (separate) {
      for (const context of [...idle.de, ...idle.en]) await context.close();
      await running?.service.close();
    }
    running = undefined;
  });

  const current = (): Shared => running ?? expect.fail('the app is there from beforeAll to afterAll');

  const openPage = async ({
    language = 'de',
    scheme = 'light',
    width = 1440,
    unused = false,
    timeZone,
    scrollbars = false,
  }: Opening = {}): Promise<Page> => {
    const own = scrollbars ? await launch({ scrollbars }) : undefined;
    const isNew = own !== undefined || timeZone !== undefined || unused;
    const context = await (isNew
      ? openContext(own ?? current().browser, current().service, language, timeZone)
      : takeContext(current(), idle, language));
    ends.push(async () => {
      await (isNew ? context.close() : giveBack(context, idle, language));
      await own?.close();
    });
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    watches.set(page, watch(page));
    return page;
  };

  const open = async (path: string, opening?: Opening): Promise<Page> => {
    const page = await openPage(opening);
    await page.goto(path);
    return page;
  };

  const signInByForm = async (email: string, path: string, opening: Opening): Promise<Page> => {
    const page = await open(`/sign-in?next=${encodeURIComponent(path)}`, opening);
    await fillSignIn(page, email);
    return page;
  };

  const bringSession = async (email: string, path: string, opening: Opening): Promise<Page> => {
    const { origin } = current().service;
    const page = await openPage(opening);
    const session = makeBrowser({ origin }, { userAgent: current().userAgent });
    expect((await session.signIn(email, password)).data).toEqual({ next: 'signed_in' });
    const alike = { url: origin, httpOnly: true, sameSite: 'Lax' } as const;
    await page.context().addCookies([...session.cookies].map(([name, value]) => ({ name, value, ...alike })));
    await page.goto(path);
    return page;
  };

  return {
    get service() {
      return current().service;
    },
    team: (options = {}) => aTeam(current().service, { ownerPassword: password, ...options }),
    async person(team, role, rights = []) {
      const { email, memberId, userId } = await aPerson(team, { role, rights });
      return { email, member_id: memberId, user_id: userId };
    },
    open,
    async signedIn(email, path, opening = {}) {
      const { language = 'de', byForm = !hasFilledForm } = opening;
      // The language that the person chose in the app.
      await current().service.database.prisma.person.update({ where: { email }, data: { language } });
      const page = await (byForm ? signInByForm : bringSession)(email, path, opening);
      hasFilledForm = true;
      await page.locator('main#main h1').waitFor();
      return page;
    },
    async settled(page) {
      await page.locator('main h1').first().waitFor();
      let busyAt = performance.now();
      await vi.waitFor(() => {
        if ((watches.get(page)?.inFlight.size ?? 0) > 0) busyAt = performance.now();
        expect(performance.now() - busyAt).toBeGreaterThan(100);
      }, patience);
      await page.locator('[role=status][aria-label]').first().waitFor({ state: 'detached' });
    },
    expectFailures: (page, ...statuses) => {
      for (const status of statuses) watches.get(page)?.allowed.add(status);
    },
    expectOutage: (page) => {
      const watched = watches.get(page);
      if (watched) watched.outage = true;
    },
  };
};

/** Opens the filters of a list, uses them, and closes them. */
export const inFilters = async (page: Page, use: (filters: Locator) => Promise<unknown>): Promise<void> => {
  await page.getByRole('button', { name: /^Filters?( · \d+)?$/ }).click();
  const filters = page.getByRole('dialog', { name: /^Filters?( · \d+)?$/ });
  await use(filters);
  await page.keyboard.press('Escape');
  await filters.waitFor({ state: 'detached' });
};

/** Chooses the value of a filter. */
export const filterBy = (page: Page, label: string, option: Parameters<Locator['selectOption']>[0]): Promise<void> =>
  inFilters(page, (filters) => filters.getByLabel(label, { exact: true }).selectOption(option));

/** Opens another page like a link of the app, without reloading the app, and waits until the page is shown. */
export const goWithin = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`
    document.querySelector('main h1').dataset.left = '';
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate', { state: null }));`);
  await page.locator('main h1:not([data-left])').first().waitFor();
};

/** Opens a page with nothing left of what was open in it or before, without reloading the app. */
export const openAnew = async (page: Page, address: string): Promise<void> => {
  await goWithin(page, '/nowhere');
  const opened = page.locator('[role=dialog], [role=menu]');
  // The frame of the pages keeps its own.
  if ((await opened.count()) > 0) await page.keyboard.press('Escape');
  await opened.first().waitFor({ state: 'detached' });
  await goWithin(page, address);
};

/**
 * Lets time pass in the page until it shows this, instead of waiting for a pause of the app. It needs
 * `page.clock.install()`, whose clock is that of the browser: the page must be opened with `unused`.
 */
export const passTimeUntil = async (page: Page, shown: Locator, isShown = true): Promise<void> => {
  const look = async () => {
    await page.clock.fastForward(1_000);
    return shown.first().isVisible();
  };
  await expect.poll(look).toBe(isShown);
};

/** How many entries about a signed-in person the browser keeps for a page: drafts, the team, and the frame. */
export const countKept = (page: Page): Promise<unknown> =>
  page.evaluate(
    '[...Object.keys(sessionStorage), ...Object.keys(localStorage)].filter((key) => /^draft:|^team$|^frame$/.test(key)).length',
  );

/** A field's label, with the mark of required fields. */
export const exactly = (label: string): RegExp => new RegExp(`^${label}( \\*)?$`);

/** Opens a select field and chooses one of its options. */
export const choose = async (page: Page, label: string, option: string): Promise<void> => {
  await page
    .getByRole('combobox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first()
    .click();
  await page.getByRole('option', { name: option }).click();
};

/** Fills in the form of the sign-in. */
export const fillSignIn = async (page: Page, email: string, given = password): Promise<void> => {
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(given);
  await page.locator('button[type=submit]').click();
};

/** Lets requests of the page wait until the returned function is called. */
export const holdRequests = async (page: Page, url: string | RegExp): Promise<() => void> => {
  const released = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await released.promise;
    await route.continue();
  });
  return released.resolve;
};

/** The file that a button saves. */
export const downloadBy = async (page: Page, button: Locator): Promise<{ name: string; content: Buffer }> => {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
};

/** Closes the open dialog with the keyboard. */
export const escapeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** Counts the clicks on a page from now on, until it is loaded anew. */
export const countClicks = async (page: Page): Promise<() => Promise<unknown>> => {
  await page.evaluate(`window.clicks = 0; addEventListener('pointerdown', () => (window.clicks += 1), true)`);
  return () => page.evaluate('window.clicks');
};

/** Types what a dangerous question asks for. */
export const typeToConfirm = async (page: Page, wanted: string): Promise<void> => {
  const asked = page.getByLabel(/^(Geben Sie zur Bestätigung ein|Type to confirm): /);
  const button = page.getByRole('dialog').locator('button[type=submit]');
  await asked.waitFor();
  expect(await button.isDisabled()).toBe(true);
  await asked.fill(wanted);
};

/**
 * Tables wider than their frames, which would hide a part of them, texts of buttons that are cut or not in the middle,
 * and times that are broken into two lines, or would be with less room.
 */
const misfits = `[
  ...[...document.querySelectorAll('main table')]
    .filter((table) => table.parentElement.clientWidth > 1 && table.offsetWidth > table.parentElement.clientWidth + 1)
    .map((table) => 'wider than its frame: ' + table.getAttribute('aria-label')),
  ...[...document.querySelectorAll('main .mantine-Button-label')]
    .filter((label) => label.scrollWidth > label.clientWidth + 1)
    .map((label) => 'cut: ' + label.innerText),
  ...[...document.querySelectorAll('main .mantine-Button-label')]
    .filter((label) => {
      const [text, button] = [label, label.closest('.mantine-Button-root')].map((one) => one.getBoundingClientRect());
      return Math.abs(text.top + text.height / 2 - (button.top + button.height / 2)) > 2;
    })
    .map((label) => 'not in the middle: ' + label.innerText),
  ...[...document.querySelectorAll('main time')]
    .filter((time) => time.getClientRects().length > 1 || getComputedStyle(time).whiteSpace !== 'nowrap')
    .map((time) => 'broken: ' + time.innerText),
]`;

/**
 * Nothing is wider than the page or its frame. Polls, because tables and charts react to a change of the width a moment
 * later.
 */
export const expectNothingSticksOut = async (page: Page, what: string, width: number): Promise<void> => {
  const asked = { message: `${what} at ${width} px` };
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), asked)
    .toBeLessThanOrEqual(width);
  await expect.poll(() => page.evaluate<unknown>(misfits), asked).toEqual([]);
};

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The content of a page behind an open dialog can't be reached, and is checked without it. This saves half the time. */
const withinReach = `{ exclude: document.querySelector('[role=dialog][aria-modal=true]') ? ['main'] : [] }`;

/** The page is accessible, as far as rules can check that (WCAG 2.2 AA and best practices). */
export const expectAccessible = async (page: Page): Promise<void> => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  // During a colour transition, the contrast is that of neither colour.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished))`,
  );
  const found: unknown = await page.evaluate(
    `axe.run(${withinReach}, { preload: false, resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
  );
  const said = Violations.parse(found).map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
  expect(said, page.url()).toEqual([]);
};

/** Accessible, and nothing is wider than the window. */
export const expectSound = async (page: Page): Promise<void> => {
  await expectAccessible(page);
  await expectNothingSticksOut(page, page.url(), page.viewportSize()?.width ?? 0);
};
