import { count } from '../../kit/text/figures.ts';
import { locale, t } from '../../language/texts.ts';

export const importedText = (deals: number): string =>
  count(deals, t('Deal übernommen', 'deal imported'), t('Deals übernommen', 'deals imported'));

/** The rows that are deleted with a connection. */
export const deletedText = ({ deals, objections }: { deals: number; objections: number }): string => {
  const data = [
    count(deals, t('Deal', 'deal'), t('Deals', 'deals')),
    count(objections, t('Einwand', 'objection'), t('Einwände', 'objections')),
  ].join(t(' und ', ' and '));
  return t(`${data} werden in der App und in der API gelöscht.`, `${data} will be deleted from the app and the API.`);
};

/** The probability, in percent, that a deal is won. */
export const probabilityText = (probability: number): string => {
  const chance = (probability / 100).toLocaleString(locale(), { style: 'percent' });
  return t(`Wahrscheinlichkeit ${chance}`, `Probability ${chance}`);
};
