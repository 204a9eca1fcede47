import { expect, it } from 'vitest';
import {
  coresFor,
  costFrom,
  costOfOne,
  deliveriesOf,
  delivery,
  maxDeliveries,
  predict,
  type Costs,
} from '../../scripts/bench/capacity.ts';

const idle = costFrom(() => 10);
/** Microseconds of the coordinator; the other parts cost ten times as much. */
const kinds = {
  [delivery]: 1_000,
  'POST /assignments': 2_000,
  'GET /trainings/{training_id}/evaluation': 300,
  'GET /users/{member_id}': 400,
  'GET /trainings?limit=50': 5_000,
};
const costs: Costs = {
  idle,
  each: new Map(
    Object.entries(kinds).map(([kind, cost]) => [
      kind,
      costFrom((part) => (part === 'coordinator' ? cost : 10 * cost)),
    ]),
  ),
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
  // 4.2 ms for a delivery and its requests (a tenth of a list), three times the average, 60 % of each core.
  expect(coresFor(costs, 86_400).coordinator).toBeCloseTo(0.021);
  expect(coresFor(costs, 86_400)['Citus workers']).toBeCloseTo(0.21);
  expect(maxDeliveries(costs, 'coordinator') / 1_000_000).toBeCloseTo(131.66, 1);
});

it('nodes carry more in proportion to their number, until the coordinator is full', () => {
  expect(deliveriesOf(costs, 4) / deliveriesOf(costs, 1)).toBeCloseTo(4);
  expect(deliveriesOf(costs, 100)).toBe(maxDeliveries(costs, 'coordinator'));
});

it('a kind whose cost is unknown makes no number', () => {
  expect(predict(costs, { 'GET /unknown': 1 }, 1).coordinator).toBeNaN();
});
