import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { hoursToMs, later } from '../../src/core/clock.ts';
import { AuditQuery } from '../../src/modules/audit/schema.ts';
import { listEntries } from '../../src/modules/audit/listing.ts';
import { inTheApp } from '../support/app-caller.ts';
import { useConnection } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { costOf } from '../support/plans.ts';
import { allRows } from '../support/pages.ts';

// A team with many trainings since the last other action: the cost of a page must not grow with their number.

const many = 60_000;

const service = await useTestService({ own: true });
const made = await aTeam(service);
const team = await made.acting();
const client = await useConnection(service.databaseUrl);
// Most entries are about one target.
await client.query(
  `insert into audit_entry (tenant_id, id, actor_kind, action, target_type, target_id, data, created_at)
   select $1, gen_random_uuid(), 'person', case when n % 5 = 0 then 'training.started' else 'training.ended' end, 'training',
          case when n % 5 = 0 then gen_random_uuid()::text else $2 end, jsonb_build_object('said', repeat('x', 400)),
          now() + n * interval '1 millisecond'
     from generate_series(1, $3::int) n`,
  [team.id, 'one', many],
);
// The statistics claim that there are many teams with few entries each.
await client.query('alter table audit_entry alter tenant_id set (n_distinct = 10000)');
await client.query('vacuum analyze audit_entry');

const cost = (wanted: z.input<typeof AuditQuery>, memberDetail = true) =>
  costOf(client, { ...team, privacy: { ...team.privacy, memberDetail } }, (asking) =>
    listEntries(asking, AuditQuery.parse(wanted), 'en'),
  );

describe('a page of the audit log touches few database pages, however long the log is', () => {
  it('the newest entries: all, of an action and of a target', async () => {
    expect(await cost({})).toBeLessThan(100);
    expect(await cost({ action: 'training.ended' })).toBeLessThan(150);
    expect(await cost({ target_type: 'training', target_id: 'one' })).toBeLessThan(150);
    expect(await cost({ target_type: 'team', target_id: team.id })).toBeLessThan(50);
  });

  it('a rare action or actor, and one that never acted', async () => {
    expect(await cost({ actor_id: made.owner.user_id })).toBeLessThan(50);
    expect(await cost({ actor_kind: 'person', actor_id: 'nobody' })).toBeLessThan(50);
    expect(await cost({ action: 'team.created' })).toBeLessThan(50);
    expect(await cost({ action: 'key.rotated' })).toBeLessThan(50);
  });

  it('actor, target, and an id alone: a search of the next thousands of rows', async () => {
    // The whole log is some 4,000 pages.
    expect(await cost({ actor_kind: 'operator' })).toBeLessThan(1_000);
    expect(await cost({ action: 'training.ended', actor_kind: 'operator' })).toBeLessThan(1_300);
    expect(await cost({ target_type: 'webhook_event' })).toBeLessThan(1_000);
    expect(await cost({ target_id: team.id })).toBeLessThan(1_000);
  });

  it('all while member details are off', async () => {
    expect(await cost({}, false)).toBeLessThan(1_000);
    expect(await cost({ target_type: 'training', target_id: 'one' }, false)).toBeLessThan(1_300);
  });

  it('an old time, and one to come', async () => {
    expect(await cost({ until: later(service.clock.now(), hoursToMs(1)).toISOString() })).toBeLessThan(100);
    expect(await cost({ until: later(service.clock.now(), -hoursToMs(1)).toISOString() })).toBeLessThan(50);
    expect(await cost({ since: later(service.clock.now(), hoursToMs(1)).toISOString() })).toBeLessThan(50);
  });
});

describe('a walk that found nothing yet', () => {
  it.each([true, false])(
    'continues where it stopped until it has found everything once (member details: %s)',
    async (memberDetail) => {
      await made.change({ memberDetail });
      const { audit } = await inTheApp(made);
      let pages = 0;
      const found = await allRows(async (from) => {
        const page = await audit.list({ ...(memberDetail && { actor_kind: 'operator' }), ...from });
        pages += 1;
        if (pages === 1) expect([page.data, page.next_cursor]).toEqual([[], expect.any(String)]);
        return page;
      });
      expect(pages).toBe(many / 5_000 + 1);
      expect(found.slice(-2).map(({ action }) => action)).toEqual(['key.created', 'team.created']);
    },
  );

  it('leaves the overview’s latest entries empty', async () => {
    await made.change({ memberDetail: false });
    expect((await (await inTheApp(made)).overview.show({})).latest).toEqual([]);
  });
});

describe('rows of an erased person for signing in', () => {
  it('are found by their index', async () => {
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) delete from verification where value = 'x'`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('verification_value_idx');
  });
});
