import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, useApp } from './support/app.ts';

const say = {
  list: 'Mitglieder',
  more: 'Weitere laden',
  select: 'auswählen',
  selected: (count: number) => `1 von ${count} ausgewählt`,
  actions: 'Aktionen für',
};

/** More than a list that is rendered whole, and all in six pages. */
const people = 260;

interface Rows {
  /** The numbers of the rows in the page, and of those that the reader sees. The heading is row 1. */
  rendered: number[];
  seen: number[];
  /** Whether the reader sees a place where a row is missing. */
  isMissing: boolean;
  /** Whether the reader sees the end of the page. */
  isEnd: boolean;
}

const rowsIn = (page: Page): Promise<Rows> =>
  page.evaluate(`(() => {
    const rows = [...document.querySelectorAll('main tbody tr')];
    const numbersOf = (some) => some.map((row) => Number(row.getAttribute('aria-rowindex'))).filter(Boolean);
    const seen = rows.filter((row) => row.getBoundingClientRect().bottom > 1 && row.getBoundingClientRect().top < innerHeight - 1);
    return { rendered: numbersOf(rows), seen: numbersOf(seen), isMissing: seen.some((row) => row.ariaHidden === 'true'), isEnd: scrollY + innerHeight >= document.documentElement.scrollHeight - 1 };
  })()`);

describe.skipIf(!hasBrowser)('a long list', () => {
  const app = useApp();

  const openedWhole = async (): Promise<Page> => {
    const team = await app.team({ members: people - 1, seats: people });
    const page = await app.signedIn(team.owner.email, '/members');
    const table = page.getByRole('table', { name: say.list });
    const more = page.getByRole('button', { name: say.more });
    await more.waitFor();
    for (let loaded = 100; loaded < people + 50; loaded += 50) {
      await more.click();
      const rows = Math.min(loaded, people);
      if (rows <= 200) await expect.poll(() => table.getByRole('row').count(), { timeout: 45_000 }).toBe(1 + rows);
      else await expect.poll(() => table.getAttribute('aria-rowcount'), { timeout: 45_000 }).toBe(String(1 + rows));
    }
    return page;
  };

  // One test, because it takes longer to load the list than to look at it.
  it('has only the rows near the reader in the page, without a hole, is printed whole, and keeps the row with the focus or an open menu for the keyboard', async () => {
    const page = await openedWhole();
    const shown = new Set<number>();
    await page.evaluate('scrollTo({ top: 0 })');
    for (let isEnd = false; !isEnd;) {
      const { rendered, seen, isMissing, isEnd: isLast } = await rowsIn(page);
      expect(rendered.length).toBeLessThan(110);
      for (const row of seen) shown.add(row);
      isEnd = isLast && !isMissing;
      if (isMissing) await expect.poll(async () => (await rowsIn(page)).isMissing, { timeout: 45_000 }).toBe(false);
      else await page.evaluate('scrollBy({ top: innerHeight / 2 })');
    }
    expect([...shown].toSorted((a, b) => a - b)).toEqual(Array.from({ length: people }, (_, row) => row + 2));
    await page.evaluate('scrollTo({ top: 0 })');
    await expect.poll(async () => (await rowsIn(page)).rendered.length, { timeout: 45_000 }).toBeLessThan(110);
    await page.evaluate(`addEventListener('beforeprint', () => {
      window.printed = document.querySelectorAll('main tbody tr[aria-rowindex]').length;
    })`);
    await page.pdf();
    expect(await page.evaluate('printed')).toBe(people);
    await expect.poll(async () => (await rowsIn(page)).rendered.length, { timeout: 45_000 }).toBeLessThan(110);
    await page.evaluate('scrollTo({ top: 0 })');
    const box = page.locator('tr[aria-rowindex="4"]').getByRole('checkbox', { name: say.select });
    await box.waitFor();
    // A box that can be clicked, but not seen, would be found by its role as well.
    const border: unknown = await page.evaluate(`(() => {
      const { borderTopWidth, borderTopStyle } = getComputedStyle(document.querySelector('tr[aria-rowindex="4"] input'));
      return borderTopWidth + ' ' + borderTopStyle;
    })()`);
    expect(border).toBe('1px solid');
    await box.focus();
    await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight })');
    await expect.poll(async () => (await rowsIn(page)).rendered.at(-1), { timeout: 45_000 }).toBe(1 + people);
    const { rendered } = await rowsIn(page);
    expect(rendered).toContain(4);
    expect(rendered).not.toContain(60);
    await page.keyboard.press('Space');
    await page.getByText(say.selected(people)).waitFor();
    // From the last row of its part, the Tab key goes to the next row, not to those in view.
    await page.evaluate('scrollTo({ top: 0 })');
    await page.locator('tr[aria-rowindex="11"]').getByRole('button', { name: say.actions }).focus();
    await page.evaluate('scrollTo({ top: document.documentElement.scrollHeight })');
    await expect.poll(async () => (await rowsIn(page)).rendered.at(-1), { timeout: 45_000 }).toBe(1 + people);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('tr').getAttribute('aria-rowindex')`)).toBe('12');
    await expect.poll(async () => (await rowsIn(page)).seen, { timeout: 45_000 }).toContain(12);
    // A menu has the focus, but is not in the list.
    await page.evaluate('scrollTo({ top: 0 })');
    const button = page.locator('tr[aria-rowindex="4"]').getByRole('button', { name: say.actions });
    const rowOfFocus = () => page.evaluate(`document.activeElement.closest('tr')?.getAttribute('aria-rowindex')`);
    const menu = page.getByRole('menu');
    await button.click();
    await menu.waitFor();
    await page.mouse.move(700, 500);
    // Out of view, but still in the page.
    await page.mouse.wheel(0, 900);
    await menu.waitFor({ state: 'detached' });
    await expect.poll(rowOfFocus, { timeout: 45_000 }).toBe('4');
    await page.evaluate('scrollTo({ top: 0 })');
    await button.click();
    await menu.waitFor();
    // So far that the row would not be in the page.
    await page.mouse.wheel(0, 6_000);
    await menu.waitFor({ state: 'detached' });
    await expect.poll(rowOfFocus, { timeout: 45_000 }).toBe('4');
  });
});
