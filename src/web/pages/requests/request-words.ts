import type { LoggedProblem, LoggedRequest } from '../../../modules/requests/schema.ts';
import type { Tone } from '../../kit/page/tones.ts';
import { count } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

/** The words in place of a request's route, if the log has none. */
interface RouteWords {
  unknown: string;
  /** For an entry that counts requests of different routes. */
  several: string;
}

export const routeWords = (): RouteWords => ({
  unknown: t('(unbekannter Pfad)', '(unknown path)'),
  several: t('(mehrere Pfade)', '(several paths)'),
});

export const routeText = (
  { method, route, count }: Pick<LoggedRequest, 'method' | 'route' | 'count'>,
  { unknown, several }: RouteWords,
): string => `${method} ${route ?? (count > 1 ? several : unknown)}`;

const tones: Readonly<Record<string, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };

/** The logged status of a request whose caller closed the connection before the answer. */
export const clientClosedStatus = 499;

export const toneOfStatus = (status: number): Tone =>
  status === clientClosedStatus ? 'plain' : (tones[Math.floor(status / 100)] ?? 'plain');

/** The number of flaws of a problem that are not listed. Only the first ones are stored. */
export const moreFlawsText = ({ errors = [], errors_total: total }: Partial<LoggedProblem>): string | undefined => {
  const more = (total ?? errors.length) - errors.length;
  return more > 0
    ? t(`und ${count(more, 'weiteres Feld', 'weitere Felder')}`, `and ${count(more, 'more field', 'more fields')}`)
    : undefined;
};

const withFilter = (filter: Record<string, string>): string => `/requests?${new URLSearchParams(filter).toString()}`;

type ComparedRequest = Pick<LoggedRequest, 'request_id' | 'method' | 'route' | 'count' | 'code'> & {
  key: Pick<LoggedRequest['key'], 'id'>;
};

/** The request alone, and the requests with the same key, route or problem. Each list has a label and an address. */
export const similarTo = (request: ComparedRequest): [label: string, to: string][] => {
  const alike: [label: string, to: string][] = [
    [
      request.count > 1 ? t('Nur dieser Eintrag', 'Only this entry') : t('Nur diese Anfrage', 'Only this request'),
      withFilter({ request_id: request.request_id }),
    ],
    [t('Alle mit diesem Schlüssel', 'All with this key'), withFilter({ key: request.key.id })],
  ];
  if (request.route !== null)
    alike.push([
      t('Alle dieser Route', 'All of this route'),
      withFilter({ route: request.route, method: request.method }),
    ]);
  if (request.code !== null)
    alike.push([t('Alle mit diesem Fehler', 'All with this error'), withFilter({ code: request.code })]);
  return alike;
};
