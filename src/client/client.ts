import { resourcesOf } from './generated/resources.ts';
import type { Api } from './generated/resources.ts';
import { Sender } from './send.ts';
import type { ClientOptions } from './send.ts';

/** A client of the Team Customer API, with a key of a team. */
export const createClient = (options: ClientOptions): Api => resourcesOf(new Sender(options));
