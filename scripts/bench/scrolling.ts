// Measures how smoothly the app's longest lists scroll with 5,000 rows. Chromium loads the whole list with real clicks and scrolls through
// its middle with a mouse wheel gesture. Frames are those that the compositor drew. The cost of a page is the work of its main thread per
// frame, which does not depend on the graphics hardware.

import { chromium } from 'playwright-core';
import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { withBigTeam } from './big-team.ts';
import type { BigTeam } from './big-team.ts';
import { atMost } from './bounds.ts';
import { installedChromium } from './chromium.ts';
import { signIn } from './sign-in.ts';
import { quantile } from './statistics.ts';

const rowsAtLeast = 5_000;
const view = { width: 1440, height: 900 };
/** Pixels a second, like a reader who looks for a row far down. */
const speed = 4_000;
const seconds = 8;

const workOfFrameMs = 8;
/** Milliseconds after which a reader would click again. */
const patienceMs = 5_000;

/** `npm run bench -- scrolling NAME` measures only this list. */
const wanted = process.argv[3] ?? '';

const listsOf = ({ endpointId }: BigTeam) =>
  [
    ['members', '/members'],
    ['assignments', '/assignments'],
    ['trainings', '/trainings'],
    ['requests', '/requests'],
    ['deliveries', `/webhooks/${endpointId}`],
    ['audit', '/audit'],
  ] as const;

const TraceEvent = z.object({
  name: z.string(),
  ph: z.string(),
  pid: z.number(),
  tid: z.number(),
  /** Microseconds: its time, and how long the thread worked on it. */
  ts: z.number().default(0),
  tdur: z.number().default(0),
  args: z
    .object({
      name: z.unknown(),
      frame_reporter: z.object({ state: z.string(), has_missing_content: z.boolean() }).optional(),
    })
    .partial()
    .optional(),
});
type TraceEvent = z.output<typeof TraceEvent>;

/** Records a trace of the browser during an action. */
const traced = async (session: CDPSession, act: () => Promise<unknown>): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...z.array(TraceEvent).parse(value)));
  const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  const traceConfig = { includedCategories: ['benchmark', 'toplevel'] };
  await session.send('Tracing.start', { traceConfig, transferMode: 'ReportEvents' });
  await act();
  await session.send('Tracing.end');
  await ended;
  return events;
};

/** The tasks of the page's main thread: the busiest of all threads with that name. */
const tasksOfPage = (events: readonly TraceEvent[]): { pid: number; tasks: TraceEvent[] } => {
  const threads = events
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map((thread) => ({
      pid: thread.pid,
      tasks: events.filter(
        ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && pid === thread.pid && tid === thread.tid,
      ),
    }));
  const [most] = threads.toSorted((a, b) => b.tasks.length - a.tasks.length);
  if (!most) throw new Error('no main thread was traced');
  return most;
};

interface Scrolled {
  /** Milliseconds between two frames that were shown. */
  intervals: number[];
  /** The share of these frames in which rows were not rendered yet. */
  incomplete: number;
  /** CPU time of the main thread in milliseconds: total, and of its longest task. */
  work: number;
  longest: number;
}

const readTrace = (events: readonly TraceEvent[]): Scrolled => {
  const { pid, tasks } = tasksOfPage(events);
  const frames = events.filter(({ name, pid: of }) => name === 'PipelineReporter' && of === pid);
  const shown = frames.filter(({ args }) => args?.frame_reporter?.state.startsWith('STATE_PRESENTED') === true);
  // A frame is reported twice if the main thread had something for it, but later.
  const ends = events
    .filter(({ name, ph, pid: of }) => name === 'SwapEndToPresentationCompositorFrame' && ph === 'e' && of === pid)
    .map(({ ts }) => ts / 1_000)
    .toSorted((a, b) => a - b)
    .filter((at, index, all) => index === 0 || at - (all[index - 1] ?? 0) > 1);
  const times = tasks.map(({ tdur }) => tdur / 1_000);
  return {
    intervals: ends.slice(1).map((at, index) => at - (ends[index] ?? at)),
    incomplete: shown.filter(({ args }) => args?.frame_reporter?.has_missing_content).length / shown.length,
    work: times.reduce((sum, one) => sum + one, 0),
    longest: Math.max(...times),
  };
};

/** A list that is rendered in parts has an attribute with its number of rows. */
const countRows = `(() => {
  const table = document.querySelector('main table[aria-label]:has(th)');
  return Number(table?.ariaRowCount ?? table?.querySelectorAll('tr').length ?? 0);
})()`;

const rowCount = async (page: Page): Promise<number> => z.number().parse(await page.evaluate(countRows));

/** Clicks the button at the end of the list until the list has enough rows. */
const loadAll = async (page: Page): Promise<number> => {
  const started = performance.now();
  for (let rows = 2; rows <= rowsAtLeast; rows = await rowCount(page)) {
    // The button may move away under the mouse, when names of the last rows arrive: a reader clicks again.
    const clicked = performance.now();
    await page.locator('main').getByRole('button', { name: 'Weitere laden' }).click();
    while ((await rowCount(page)) <= rows && performance.now() - clicked < patienceMs) await page.waitForTimeout(20);
  }
  return performance.now() - started;
};

const percent = (values: readonly number[], over: number): string =>
  `${((100 * values.filter((value) => value > over).length) / values.length).toFixed(1)} %`;

const ms = (value: number): string => value.toFixed(1);

const measure = async (page: Page, name: string): Promise<void> => {
  const loaded = await loadAll(page);
  const rows = await rowCount(page);
  await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight / 2 })');
  await page.waitForTimeout(1_000);
  const session = await page.context().newCDPSession(page);
  const events = await traced(session, () =>
    session.send('Input.synthesizeScrollGesture', {
      x: view.width / 2,
      y: view.height / 2,
      yDistance: -speed * seconds,
      speed,
      gestureSourceType: 'mouse',
      preventFling: true,
    }),
  );
  const nodes = await page.evaluate('document.querySelectorAll("*").length');
  const { intervals, incomplete, work, longest } = readTrace(events);
  const of = (part: number) => ms(quantile(intervals, part));
  console.log(
    `\n${name}: ${rows - 1} rows (loaded in ${(loaded / 1_000).toFixed(0)} s), ${intervals.length + 1} frames, ${String(nodes)} elements\n` +
      `  between frames: p50 ${of(0.5)} ms, p95 ${of(0.95)} ms, p99 ${of(0.99)} ms; over 16.7 ms ${percent(intervals, 18)}, over 33 ms ${percent(intervals, 34)}; rows missing in ${(100 * incomplete).toFixed(1)} % of the frames\n` +
      `  longest task: ${ms(longest)} ms`,
  );
  atMost('main thread for each sixtieth of a second', work / (seconds * 60), workOfFrameMs, ' ms');
};

export const run = (): Promise<void> =>
  withBigTeam(async (team) => {
    const executablePath = installedChromium();
    if (executablePath === undefined) throw new Error('This bench needs Chromium, and there is none.');
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    try {
      const cookies = await signIn(team.origin, team.owner);
      for (const [name, path] of listsOf(team).filter(([name]) => name.includes(wanted))) {
        const context = await browser.newContext({ viewport: view, locale: 'de-DE', bypassCSP: true });
        await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: team.origin })));
        const page = await context.newPage();
        await page.goto(`${team.origin}${path}`);
        await measure(page, name);
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });
