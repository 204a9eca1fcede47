import type { KeyUses } from '../../../modules/requests/schema.ts';
import { t } from '../../language/texts.ts';

type CalledRoute = Pick<KeyUses['routes'][number], 'method' | 'route'>;

export const routeName = ({ method, route }: CalledRoute): string =>
  route === null ? t(`Unbekannte Pfade (${method})`, `Unknown paths (${method})`) : `${method} ${route}`;

/** The address of the request log, filtered by a key and one of its routes. */
export const requestsTo = (keyId: string, { method, route }: CalledRoute): string =>
  `/requests?${new URLSearchParams({ key: keyId, method, ...(route !== null && { route }) }).toString()}`;
