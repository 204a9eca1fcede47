import { count, number, sumOf } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

interface UseCounts {
  readonly requests: number;
  readonly errors: number;
}

/** The requests of some days, and how many of them had an error. */
export const usedIn = (days: readonly UseCounts[]): UseCounts => ({
  requests: sumOf(days, 'requests'),
  errors: sumOf(days, 'errors'),
});

export const requestsText = (requests: number): string =>
  count(requests, t('Anfrage', 'request'), t('Anfragen', 'requests'));

export const usedText = ({ requests, errors }: UseCounts): string =>
  t(
    `In den letzten 30 Tagen ${requestsText(requests)}, davon ${number(errors)} mit Fehler`,
    `In the last 30 days ${requestsText(requests)}, ${number(errors)} of them with an error`,
  );

export const scopesText = (scopes: number): string =>
  count(scopes, t('Berechtigung', 'scope'), t('Berechtigungen', 'scopes'));

export const othersText = (others: number): string =>
  t(`${requestsText(others)}, deren Route nicht gespeichert ist`, `${requestsText(others)} whose route is not stored`);

/** Why a key has no uses by route. */
export const noRoutesText = ({ others, days }: { others: number; days: number }): string =>
  others > 0
    ? t('Noch keine Routen gespeichert', 'No routes stored yet')
    : t(`Keine Anfragen in den letzten ${days} Tagen`, `No requests in the last ${days} days`);

export const moreRoutesText = (more: number): string =>
  t(`und ${count(more, 'weitere Route', 'weitere Routen')}`, `and ${count(more, 'more route', 'more routes')}`);
