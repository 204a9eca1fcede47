import { count, number } from '../text/figures.ts';
import { t } from '../../language/texts.ts';

/** How many rows a list has, or how many match its filters. `more`: there are more than `rows`. */
export const rowsText = ({ rows, more, isFiltered }: { rows: number; more: boolean; isFiltered: boolean }): string => {
  const text = isFiltered
    ? count(rows, t('Treffer', 'match'), t('Treffer', 'matches'))
    : count(rows, t('Eintrag', 'entry'), t('Einträge', 'entries'));
  return more ? t(`Mehr als ${text}`, `More than ${text}`) : text;
};

/** How many names are listed before the number of the others. */
const shownNames = 5;

/** The names at the start of the list, and the number of the others. */
export const namesInBrief = (names: readonly string[]): string => {
  const others = names.length - shownNames;
  // One more name takes no more room than “and 1 more”, so that name is listed, too.
  if (others <= 1) return names.join(', ');
  const shown = names.slice(0, shownNames).join(', ');
  return t(`${shown} und ${number(others)} weitere`, `${shown} and ${number(others)} more`);
};

/** The title of the list of rows for which an action was not possible. */
export const failedText = ({ done, failed }: { done: number; failed: number }): string =>
  t(
    `Bei ${number(failed)} von ${number(done + failed)} war das nicht möglich`,
    `This was not possible for ${number(failed)} of ${number(done + failed)}`,
  );

export const doneText = ({ done, total }: { done: number; total: number }): string =>
  t(`${number(done)} von ${number(total)} erledigt`, `${number(done)} of ${number(total)} done`);

/** From this number of rows on, an action that can't be undone asks twice. */
const askedTwiceFrom = 11;

/**
 * The parts of a question about an action that can't be undone: the names, and for several rows their number, which has
 * to be typed.
 */
export const forGood = (names: readonly string[], again: string) => ({
  of: namesInBrief(names),
  ...(names.length > 1 && { typed: String(names.length) }),
  again: names.length >= askedTwiceFrom ? again : undefined,
});
