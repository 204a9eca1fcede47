import { createServer, request as httpRequest } from 'node:http';
import { onTestFinished } from 'vitest';
import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import { headersOf, makeSecret } from '../../src/deliveries/message.ts';
import { aCombination, anEvaluation, aScoredTraining, aTraining } from '../support/practice.ts';
import type { TestService } from '../support/service.ts';
import { listen } from '../support/ports.ts';
import { aTeam } from '../support/team.ts';
import type { World } from './suite.ts';

/** A proxy that loses the first answer of each id, or never answers: see `World`. */
const aProxyBefore = async (origin: string): Promise<string> => {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    const [, what, id = '', ...rest] = (request.url ?? '').split('/');
    if (what === 'wait') return;
    const headers = Object.entries(request.headers).filter(([name]) => !['host', 'connection'].includes(name));
    const sent = httpRequest(`${origin}/${rest.join('/')}`, {
      method: request.method,
      headers: Object.fromEntries(headers),
    });
    request.pipe(sent);
    sent.once('response', (answered) => {
      const isFirst = !seen.has(id);
      seen.add(id);
      if (isFirst) answered.resume().once('end', () => response.destroy());
      else answered.pipe(response.writeHead(answered.statusCode ?? 0, answered.headers));
    });
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
};

/** A team with all data that the suite reads. */
export const aWorld = async (service: TestService): Promise<World> => {
  const team = await aTeam(service, { members: 3 });
  const members = team.members.map(({ id, user_id }) => ({ id, user_id: user_id ?? '' }));
  for (const { user_id } of members) {
    await aTraining(service, team, { userId: user_id });
    await aScoredTraining(service, team, {
      userId: user_id,
      evaluation: { ...anEvaluation(), savedAt: service.clock.now() },
    });
  }
  const body = exampleBodyOf('evaluation.completed');
  const secret = makeSecret();
  const { id: eventId }: { id: string } = JSON.parse(body);
  return {
    baseUrl: service.baseUrl,
    key: (await team.aKey()).text,
    teamId: team.id,
    members,
    combination: await aCombination(service),
    proxyUrl: await aProxyBefore(service.origin),
    webhook: { secret, body, headers: headersOf({ secret, eventId, body, at: new Date() }) },
  };
};
