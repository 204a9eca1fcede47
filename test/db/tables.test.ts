import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../scripts/statements/defined.ts';
import { mayTouch, tablesIn } from '../../scripts/statements/tables.ts';

describe('the check of tables', () => {
  it.each<[what: string, source: string, table: string]>([
    ['a call of Prisma', 'await tx.webhookEndpoint.update({ where })', 'webhook_endpoint'],
    ['a read in SQL', 'const sql = `select id from webhook_delivery where id = :id`', 'webhook_delivery'],
    ['a join', 'const sql = `select from team t join webhook_waiting w on w.tenant_id = t.id`', 'webhook_waiting'],
    ['a write in SQL', "const sql = 'delete from webhook_attempt'", 'webhook_attempt'],
  ])('finds %s', (_what, source, table) => {
    expect(tablesIn(source)).toContain(table);
  });

  it('allows only webhooks’ stores, their storage budget, reports and a team’s deletion to touch its tables, and the feed the events', () => {
    const tables = ['webhook_endpoint', 'webhook_event', 'webhook_delivery', 'webhook_attempt', 'webhook_waiting'];
    const allowed = [
      'src/modules/reporting/store.ts',
      'src/modules/team-deletion/store.ts',
      'src/modules/webhooks/delivery-store.ts',
      'src/modules/webhooks/history-store.ts',
      'src/modules/webhooks/store.ts',
    ];
    const others = sourceFiles().filter((file) => !/^src\/(deliveries|packages)\//.test(file));
    expect(others).toContain('src/modules/webhooks/service.ts');
    const feed = 'src/modules/events/store.ts';
    for (const table of tables) {
      const wanted = table === 'webhook_event' ? [feed, ...allowed] : allowed;
      expect(others.filter((file) => mayTouch(file, table))).toEqual(wanted);
    }
    expect(mayTouch('src/deliveries/outbox.ts', 'webhook_event')).toBe(true);
  });
});
