import { expect, it } from 'vitest';
import { teamInLink } from '../../src/web/session/team-in-link.ts';

const team = '01990c1e-7a00-7000-8000-000000000082';
const signIn = (next: string) => `?next=${encodeURIComponent(next)}`;

it.each([
  ['', null],
  [`?team=${team}`, team],
  [signIn(`/members?role=admin&team=${team}`), team],
  [signIn('/members'), null],
  // They can't be sent in a header.
  ['?team=%0A', null],
  [`?team=${team}%0A`, null],
  [signIn('/?team=€'), null],
])('the link %j names the team %s', (search, named) => expect(teamInLink(search)).toBe(named));
