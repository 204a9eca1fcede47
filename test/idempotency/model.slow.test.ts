import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hoursToMs } from '../../src/core/clock.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const seats = 3;

/** The expected results of the contract, computed separately: a team's emails, and the stored answers by key. */
class Model {
  readonly #emails = new Set<string>();
  readonly #kept = new Map<string, { body: string; status: number; code: unknown; until: number }>();
  now = 0;

  invite(key: string, body: string, email: string | undefined): { status: number; code: unknown; replayed: boolean } {
    if (email === undefined) return { status: 422, code: 'validation_error', replayed: false };
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.now) {
      if (kept.body !== body) return { status: 422, code: 'idempotency_mismatch', replayed: false };
      return { status: kept.status, code: kept.code, replayed: true };
    }
    const answer = this.#act(email);
    this.#kept.set(key, { ...answer, body, until: this.now + hoursToMs(24) });
    return { ...answer, replayed: false };
  }

  #act(email: string): { status: number; code: unknown } {
    if (this.#emails.has(email)) return { status: 409, code: 'conflict' };
    if (this.#emails.size + 1 >= seats) return { status: 409, code: 'seat_limit_reached' };
    this.#emails.add(email);
    return { status: 201, code: undefined };
  }

  remove(email: string): boolean {
    return this.#emails.delete(email);
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('invite' as const),
      key: fc.constantFrom('one', 'two'),
      email: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com', undefined),
      role: fc.constantFrom('member', 'admin'),
      language: fc.constantFrom('de', 'en'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      email: fc.constantFrom('a@example.com', 'b@example.com'),
    }),
  },
  // Far enough from the limit that the duration of a request does not matter.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 23.9, 24.1) }) },
);

it('every sequence of calls, removals and waits answers as the contract says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const team = await aTeam(service, { seats });
      await team.anActiveMember({ role: 'admin', email: 'admin@example.com' });
      await team.change({ seats: seats + 1 });
      const model = new Model();
      for (const one of steps) {
        if (one.kind === 'wait') {
          service.clock.forward(hoursToMs(one.hours));
          model.now += hoursToMs(one.hours);
        } else if (one.kind === 'remove') {
          const [member] = await service.database.prisma.member.findMany({
            where: { tenantId: team.id, email: one.email, status: { not: 'ended' } },
          });
          expect(model.remove(one.email)).toBe(member !== undefined);
          if (member) expect((await team.client.delete(`/users/${member.id}`)).status).toBe(200);
        } else {
          const { key, email, role, language } = one;
          const body = JSON.stringify({ email: email ?? 'nobody', role });
          const headers = { 'Idempotency-Key': key, 'Accept-Language': language };
          const answer = await team.client.post('/users', body, { headers });
          const { status, body: seen } = answer;
          const replayed = answer.headers.get('idempotent-replayed') === 'true';
          expect({ status, code: seen['code'], replayed }).toEqual(model.invite(key, body, email));
          expect(answer.headers.get('content-language')).toBe(language);
          if (status !== 201) expect(seen['request_id']).toBe(answer.headers.get('x-request-id'));
        }
      }
    }),
    { numRuns: 20 },
  );
  service.clock.set(new Date());
});
