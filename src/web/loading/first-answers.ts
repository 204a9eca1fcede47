import { initialLanguage } from '../language/initial-language.ts';
import { currentTeam } from '../session/current-team.ts';

// The answers for the first page, which the document's first script requests while the app is still loading. The app uses them instead of
// requesting them again.

const freshForMs = 30_000;

const asked = new Map<string, { at: number; answer: Promise<Response> }>();

const nameOf = (url: string, headers: Readonly<Record<string, string>>): string => JSON.stringify([url, headers]);

/** The headers of every call: the language of the answer, and the team. */
export const callHeaders = (language: string, team: string | undefined): Record<string, string> => ({
  'Accept-Language': language,
  ...(team !== undefined && { 'X-Team': team }),
});

/** The answer to an early call without input, unless it is old. It is returned only once. */
export const takeFirstAnswer = (
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> | undefined => {
  const name = nameOf(url, headers);
  const found = asked.get(name);
  asked.delete(name);
  return found && performance.now() - found.at < freshForMs ? found.answer : undefined;
};

const ask = (path: string, team: string | undefined): Promise<Response> => {
  const url = `/trpc/${path}?input=${encodeURIComponent('{}')}`;
  const headers = callHeaders(initialLanguage(), team);
  const answer = fetch(url, { headers });
  // Read at once: an answer that the app never takes would keep its connection busy. The app notices a failure when it takes the answer.
  answer.then((response) => response.clone().text()).catch(() => undefined);
  asked.set(nameOf(url, headers), { at: performance.now(), answer });
  return answer;
};

interface Who {
  me: { teams: readonly { tenant_id: string; status: string; may: readonly string[] }[] } | null;
}

/**
 * Requests the signed-in person. Resolves to the team that the app will show and the person's rights there; undefined if nobody is signed
 * in.
 */
export const askWho = async () => {
  const answer = await ask('entrance/entrance.who', currentTeam());
  const { result }: { result: { data: Who } } = await answer.clone().json();
  const teams = result.data.me?.teams ?? [];
  return teams.find(({ tenant_id }) => tenant_id === currentTeam()) ?? teams[0];
};

/** Requests the data of an admin's overview. */
export const askForOverview = (team: string): void => {
  for (const path of ['app/team.overview', 'app/audit.actions']) void ask(path, team);
};
