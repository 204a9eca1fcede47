import { expect, it } from 'vitest';
import { coresFor, costFrom, costOfOne, delivery, mostDeliveries, predict } from '../../scripts/bench/capacity.ts';
import type { Costs } from '../../scripts/bench/capacity.ts';

const idle = costFrom(() => 10);
const kinds = [delivery, 'POST /assignments', 'GET /trainings/{training_id}/evaluation', 'GET /users/{member_id}'];
const costs: Costs = {
  idle,
  each: new Map([...kinds, 'GET /trainings?limit=50'].map((kind) => [kind, costFrom(() => 1_000)])),
};

it('a load costs what its requests cost alone, and what runs always', () => {
  const each = costOfOne(
    costFrom(() => 2_050),
    idle,
    { count: 4, seconds: 5 },
  );
  expect(each.coordinator).toBe(500);
  const predicted = predict({ idle, each: new Map([['GET', each]]) }, { GET: 8 }, 2);
  expect(predicted.coordinator).toBe(4_020);
});

it('a day needs so many cores in its busiest hour, and a part is full when it needs all of its machine', () => {
  // 4.1 ms for a delivery and its requests, three times the average, 60 % of each core.
  const cores = coresFor(costs, 86_400).coordinator;
  expect(cores).toBeCloseTo((0.0041 * 3) / 0.6);
  expect(coresFor(costs, mostDeliveries(costs, 'coordinator')).coordinator).toBeCloseTo(32);
});

it('a kind whose cost is unknown makes no number', () => {
  expect(predict(costs, { 'GET /unknown': 1 }, 1).coordinator).toBeNaN();
});
