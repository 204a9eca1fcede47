import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Actor, Team } from '../../platform/team.ts';

interface Deed {
  /** What was done, as `thing.done`. */
  action: string;
  target: { type: string; id: string };
  /** What changed; never a secret. */
  data?: Prisma.InputJsonObject;
}

const actorId = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

/** Writes into the team's audit log what is done in this transaction, whoever does it and whichever way. */
export const record = async (tx: Tx, team: Team, { action, target, data = {} }: Deed): Promise<void> => {
  await tx.auditEntry.create({
    data: {
      tenantId: team.id,
      id: newId(),
      actorKind: team.actor.kind,
      actorId: actorId(team.actor),
      action,
      targetType: target.type,
      targetId: target.id,
      data,
      requestId: team.requestId,
      createdAt: team.platform.clock.now(),
    },
  });
};
