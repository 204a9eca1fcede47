import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `version_notice`: the users who were notified that a version of the API is deprecated.

export const notices = {
  /**
   * Records users as notified, and returns those who were not before. A second process waits here until the first has
   * committed.
   */
  add: async (tx: Tx, data: Prisma.VersionNoticeCreateManyInput[]): Promise<ReadonlySet<string>> => {
    const added = await tx.versionNotice.createManyAndReturn({ data, skipDuplicates: true, select: { userId: true } });
    return new Set(added.map(({ userId }) => userId));
  },

  takeBack: (tx: Tx, { tenantId, version, userIds }: { tenantId: string; version: string; userIds: string[] }) =>
    tx.versionNotice.deleteMany({ where: { tenantId, version, userId: { in: userIds } } }),
};

/** The notified users in the team's export. */
export const noticeData = teamTable({
  table: 'version_notice',
  key: { userId: 'uuid', version: 'text' },
  values: ['userId', 'version'],
  times: ['sentAt'],
});
