import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeBrowser, aPerson, testPassword } from '../support/people.ts';
import { patience } from '../support/patience.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { startCollector } from './collector.ts';
import { startObserved } from '../support/production-service.ts';
import { scrape } from './scrape.ts';

const service = await useTestService();

const series = (method: string, route: string, status: number) =>
  `team_api_http_requests_total{method="${method}",route="${route}",status="${status}"}`;

describe('a call of the app', () => {
  it('has a line in the log, a metric and a span, like a request of the API', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const observed = await startObserved(service.databaseUrl, 'api', {
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const team = await aTeam(service);
    const { email } = await aPerson(team, { role: 'member' });
    const person = await service.database.prisma.person.findUniqueOrThrow({ where: { email } });
    const browser = makeBrowser({ origin: `http://localhost:${observed.port}` }, { page: 'http://localhost:0' });
    expect(await browser.signIn(email, testPassword)).toMatchObject({ status: 200 });

    const [read, refused, unknown] = [randomUUID(), randomUUID(), randomUUID()];
    const call = (path: string, id: string) =>
      browser.query(path, {}, { team: team.id, headers: { 'X-Request-Id': id } });
    expect((await call('api/catalog.get', read)).status).toBe(200);
    expect((await call('api/members.list', refused)).status).toBe(403);
    expect((await call('api/no.such?secret=x', unknown)).status).toBe(404);
    expect((await browser.fetch('/trpc/API/catalog.get')).status).toBe(404);

    const lineOf = (id: string) => observed.logged().find((line) => line['request_id'] === id);
    await vi.waitFor(() => {
      const whose = { msg: 'request', tenant_id: team.id, person_id: person.id, ms: expect.any(Number) };
      expect(lineOf(read)).toMatchObject({ ...whose, method: 'GET', route: '/trpc/api/catalog.get', status: 200 });
      expect(lineOf(refused)).toMatchObject({ ...whose, status: 403, code: 'insufficient_scope' });
      expect(lineOf(unknown)).toMatchObject({ status: 404, code: 'not_found' });
      expect(lineOf(unknown)).not.toHaveProperty('route');
      expect(observed.logged().filter(({ msg, route }) => msg === 'request' && route === undefined)).toHaveLength(2);
    }, patience);
    expect(JSON.stringify(observed.logged())).not.toMatch(/secret=x|a long enough password/);

    await vi.waitFor(async () => {
      const { text, value } = await scrape(observed.metricsPort);
      expect(value(series('GET', '/trpc/api/catalog.get', 200))).toBe(1);
      expect(value(series('GET', '/trpc/api/members.list', 403))).toBe(1);
      expect(value(series('GET', 'unknown', 404))).toBe(2);
      expect(value(series('POST', '/trpc/entrance/entrance.signIn', 200))).toBe(1);
      expect(text).not.toMatch(/no\.such|trpc\/API/);
    }, patience);

    await observed.stop();
    expect(collector.spans.find(({ name }) => name === 'GET /trpc/api/catalog.get')?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/trpc/api/catalog.get',
      'http.response.status_code': 200,
      'team_api.request_id': read,
      'team_api.tenant_id': team.id,
    });
  });
});
