import { z } from 'zod';

// The shape of what the adapter of SCIM passes on. Attributes are read by their declaration (core/scim), because
// directories send them in forms that no schema of one form holds.

const body = z.record(z.string(), z.unknown());

/** `Users` and `Groups` have the same parameters. */
export const ListQuery = z.strictObject({
  filter: z.string().optional(),
  start_index: z.int().min(1),
  count: z.int().min(0).max(200),
  /** Whether the answer has the members of groups. */
  with_members: z.boolean().optional(),
});

export const ResourcePath = z.strictObject({ id: z.string(), with_members: z.boolean().optional() });
export const NewResource = z.strictObject({ body });
export const ResourceChange = z.strictObject({ id: z.string(), body });

export const ResourceAnswer = z.object({ resource: body });
export const ListAnswer = z.object({ total: z.int(), resources: z.array(body) });
export const NoAnswer = z.strictObject({});
