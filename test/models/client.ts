import type { Answer, Client } from '../support/client.ts';
import type { TestTeam } from '../support/team.ts';

export interface Ask {
  (method: string, path: string, body?: object): Promise<Answer>;
  /** A client with requests left. */
  client(): Promise<Client>;
}

/** Calls the API of a team. A key may make 120 requests a minute, so there is a new one from time to time. */
export const tireless = (team: TestTeam): Ask => {
  let current: { client: Promise<Client>; left: number } | undefined;
  const client = (): Promise<Client> => {
    if (!current || current.left === 0) current = { client: team.aClient(), left: 100 };
    current.left -= 1;
    return current.client;
  };
  const ask = async (method: string, path: string, body?: object) =>
    (await client()).request(method, path, body && { body });
  return Object.assign(ask, { client });
};
