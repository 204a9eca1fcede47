import { Pool } from 'undici';
import { basePath } from '../../src/core/product.ts';
import { keyBudget, spend } from '../support/budgets.ts';
import { readAnswer, type Answer } from '../support/client.ts';
import type { TestService } from '../support/service.ts';
import type { World } from '../support/world.ts';
import type { WrittenRequest } from './request.ts';

export interface Sender {
  send(world: World, request: WrittenRequest, requestId: string): Promise<Answer>;
  close(): Promise<void>;
}

/** Well below the budget of a key per minute, with as many requests in flight. */
const budget = 80;
/** As how many requests one with items may count: few are generated, or one more than fit. */
const itemsCount = 4;
/** Well below the invitations of a team per hour. */
const requestsPerHour = 40;
/** Well below the checks of receivers of a team per hour. */
const checksPerHour = 2;

/** Sends requests exactly as written, and keeps all budgets from running out, which other tests cover. */
export const makeSender = (service: TestService, connections: number): Sender => {
  const pool = new Pool(service.origin, { connections });
  let sent = 0;
  /**
   * The requests of each key since its budget was refilled: operations take turns with the worlds, and so with the
   * keys.
   */
  const sentWith = new Map<string, number>();
  let checks = 0;
  /** A team may have one export at a time. */
  const exporting = new Map<string, Promise<unknown>>();

  const refill = async ({ key }: World, { method, target }: WrittenRequest) => {
    sent += 1;
    const isCheck = method === 'POST' && /\/check(\?|$)/.test(target);
    if (isCheck) checks += 1;
    if (sent % requestsPerHour === 0 || (isCheck && checks % checksPerHour === 0)) service.clock.forward(3_600_000);
    // A request with several items may count more than once.
    const used = (sentWith.get(key.id) ?? 0) + (target.includes('/bulk') ? itemsCount : 1);
    sentWith.set(key.id, used % budget);
    if (used >= budget) await spend(service, keyBudget(key.id), 0);
  };

  const send: Sender['send'] = async (world, request, requestId) => {
    const { method, target, headers, body } = request;
    await refill(world, request);
    const {
      statusCode,
      headers: received,
      body: stream,
    } = await pool.request({
      method,
      path: `${basePath}${target}`,
      headers: [...headers, ['Authorization', `Bearer ${world.key.text}`], ['X-Request-Id', requestId]].flat(),
      body: body ?? null,
    });
    const pairs = Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]);
    return readAnswer(statusCode, new Headers(pairs), await stream.text());
  };

  return {
    send(world, request, requestId) {
      if (!request.target.startsWith('/exports/')) return send(world, request, requestId);
      const sending = (exporting.get(world.key.id) ?? Promise.resolve()).then(() => send(world, request, requestId));
      exporting.set(
        world.key.id,
        sending.catch(() => {}),
      );
      return sending;
    },
    close: () => pool.close(),
  };
};
