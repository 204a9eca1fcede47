import { dataName, type AuditEntry } from './words.ts';

// The fields that an entry of the audit log has recorded.

/** A recorded field. If the action has changed it, with its former value. */
export type Recorded = { field: string; value: unknown } | { field: string; former: unknown; value: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** For actions that record `from` and `to` without the name of the field: the field that the action changes. */
const fieldsOfActions: Readonly<Record<string, string>> = {
  'assignment.changed': 'status',
  'member.role_changed': 'role',
  'member.rights_changed': 'rights',
  'sign_in.demand_changed': 'demand',
  'sign_in.demand_planned': 'demand',
  'team.handed_over': 'owner',
  'webhook_delivery.retried': 'status',
  'webhook_endpoint.changed': 'status',
};

/** The changed fields, each with its former and new value, and all other recorded data. */
export const recordedIn = ({ action, data }: Pick<AuditEntry, 'action' | 'data'>): Recorded[] => {
  const { before, after, from, to, changed, ...rest } = data;
  const values =
    isObject(before) && isObject(after)
      ? Object.entries(after).map(([field, value]) => ({ field, former: before[field], value }))
      : [];
  const field = fieldsOfActions[action];
  const isMove = from !== undefined && to !== undefined && field !== undefined;
  const moves = isMove
    ? [{ field, former: from, value: to }]
    : Object.entries({ from, to }).flatMap(([name, value]) => (value === undefined ? [] : [{ field: name, value }]));
  // A field whose values are already shown is not listed again.
  const shown = new Set([...(isObject(after) ? Object.keys(after) : []), ...(isMove ? [field] : [])]);
  const named = Array.isArray(changed) ? changed.filter((name) => typeof name !== 'string' || !shown.has(name)) : [];
  const names = named.map((name: unknown) => (typeof name === 'string' ? dataName(name) : name));
  return [
    ...moves,
    ...values,
    ...(names.length > 0 ? [{ field: 'changed', value: names }] : []),
    ...Object.entries(rest).map(([name, value]) => ({ field: name, value })),
  ];
};
