import { describe, expect, it } from 'vitest';
import { Places } from '../../src/webhooks/places.ts';
import type { Applicant, PlaceLimits } from '../../src/webhooks/places.ts';

const limits: PlaceLimits = { all: 16, throttled: 8, perHost: 64 };
const patience = 60_000;

const lane = (tenantId: string, more: Partial<Applicant> = {}): Applicant => ({
  tenantId,
  host: `${tenantId}.example.com`,
  throttled: false,
  ...more,
});

/** Takes places for lanes of a team until none is granted, and returns how many it holds. */
const takeAll = async (places: Places, applicant: Applicant): Promise<number> => {
  let held = 0;
  for (;;) {
    const count = await places.take(applicant, 8, 1);
    if (count === 0) return held;
    held += count;
  }
};

describe('the places of a worker', () => {
  it('never belong more than half to one team, and the next team gets half of the rest', async () => {
    const places = new Places(limits);
    expect(await takeAll(places, lane('a'))).toBe(8);
    expect(await takeAll(places, lane('b'))).toBe(4);
    expect(await takeAll(places, lane('c'))).toBe(2);
    expect(await places.take(lane('d'), 8, patience)).toBe(1);
  });

  it('are half for throttled lanes, of which no team has more than half either', async () => {
    const places = new Places(limits);
    expect(await takeAll(places, lane('a', { throttled: true }))).toBe(4);
    expect(await takeAll(places, lane('b', { throttled: true }))).toBe(2);
    expect(await takeAll(places, lane('c', { throttled: true }))).toBe(1);
    // Lanes that are not throttled still get places.
    expect(await places.take(lane('d'), 4, patience)).toBe(4);
  });

  it('at one host are limited for all teams together, and shared among them', async () => {
    const places = new Places({ all: 1_000, throttled: 500, perHost: 12 });
    const host = 'shared.example.com';
    expect(await takeAll(places, lane('a', { host }))).toBe(6);
    expect(await takeAll(places, lane('b', { host }))).toBe(3);
    expect(await takeAll(places, lane('c', { host }))).toBe(2);
    // Other hosts are not affected.
    expect(await places.take(lane('c'), 6, patience)).toBe(6);
  });

  it('that are released go to the team that holds the fewest, and within it to the lane that has waited longest', async () => {
    const places = new Places({ ...limits, all: 2 });
    const [holding, other] = [lane('holding'), lane('other')];
    await places.take(holding, 1, patience);
    await places.take(other, 1, patience);
    const order: string[] = [];
    const wait = async (name: string, applicant: Applicant) => {
      expect(await places.take(applicant, 1, patience)).toBe(1);
      order.push(name);
      places.give(applicant, 1);
    };
    const waiting = [wait('holding', holding), wait('first', lane('new')), wait('second', lane('new'))];
    places.give(other, 1);
    await Promise.all(waiting.slice(1));
    places.give(holding, 1);
    await waiting[0];
    expect(order.indexOf('first')).toBeLessThan(order.indexOf('second'));
    expect(order[0]).toBe('first');
  });

  it('that are released go first to the team that holds fewer, if both teams hold some', async () => {
    const places = new Places(limits);
    const [many, few] = [lane('many'), lane('few')];
    expect(await places.take(many, 4, patience)).toBe(4);
    expect(await places.take(few, 1, patience)).toBe(1);
    const others = Array.from({ length: 11 }, (_, at) => lane(`other ${at}`));
    for (const other of others) expect(await places.take(other, 1, patience)).toBe(1);
    const order: string[] = [];
    const wait = async (applicant: Applicant) => {
      expect(await places.take(applicant, 1, patience)).toBe(1);
      order.push(applicant.tenantId);
    };
    // The team with more places has waited longer.
    const waiting = [wait(many), wait(few)];
    for (const other of others.slice(0, 5)) places.give(other, 1);
    await waiting[1];
    for (const other of others.slice(5)) places.give(other, 1);
    await waiting[0];
    expect(order).toEqual(['few', 'many']);
  });

  it('are 0 for a lane that waited in vain, and for all lanes after closing', async () => {
    const places = new Places({ ...limits, all: 1 });
    await places.take(lane('a'), 1, patience);
    expect(await places.take(lane('b'), 1, 1)).toBe(0);
    const waiting = places.take(lane('b'), 1, patience);
    places.close();
    expect(await waiting).toBe(0);
    expect(await places.take(lane('b'), 1, patience)).toBe(0);
  });

  it('that are released can be taken again', async () => {
    const places = new Places(limits);
    for (let round = 0; round < 100; round += 1) {
      const count = await places.take(lane('a'), 8, patience);
      expect(count).toBe(8);
      places.give(lane('a'), count);
    }
  });
});
