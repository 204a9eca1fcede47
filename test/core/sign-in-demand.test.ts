import { describe, expect, it } from 'vitest';
import { demandsAt, mayEnter, signInDemands, type SignInWay } from '../../src/core/sign-in-demand.ts';

const ways: SignInWay[] = ['password', 'second_factor', 'company'];

describe('who may enter a team', () => {
  it.each([
    ['none', 'owner', ways],
    ['none', 'admin', ways],
    ['none', 'member', ways],
    ['second_factor', 'owner', ['second_factor', 'company']],
    ['second_factor', 'admin', ['second_factor', 'company']],
    ['second_factor', 'member', ['second_factor', 'company']],
    ['company', 'owner', ways],
    ['company', 'admin', ['company']],
    ['company', 'member', ['company']],
  ] as const)('that demands %s: its %s, signed in by %j', (signInDemand, role, allowed) => {
    expect(ways.filter((way) => mayEnter({ role, signInDemand }, way))).toEqual(allowed);
  });
});

describe('what a team demands', () => {
  const at = new Date('2026-11-29T12:00:00.000Z');
  const before = new Date(at.getTime() - 1);

  it('is what it has planned from that moment on, also if that comes as a text', () => {
    for (const signInDemand of signInDemands) {
      for (const plannedDemand of signInDemands) {
        for (const plannedFrom of [at, at.toISOString()]) {
          const stored = { signInDemand, plannedDemand, plannedFrom };
          expect(demandsAt(stored, before)).toEqual({ signInDemand, planned: { demand: plannedDemand, from: at } });
          expect(demandsAt(stored, at)).toEqual({ signInDemand: plannedDemand, planned: undefined });
        }
      }
    }
  });

  it.each([
    ['nothing', null, null],
    ['no time', 'company', null],
    ['no demand', null, at],
  ] as const)('stays as it is if %s is planned', (_, plannedDemand, plannedFrom) => {
    const stored = { signInDemand: 'second_factor', plannedDemand, plannedFrom } as const;
    expect(demandsAt(stored, at)).toEqual({ signInDemand: 'second_factor', planned: undefined });
  });
});
