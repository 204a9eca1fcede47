import { z } from 'zod';
import { Time } from '../../platform/values.ts';
import { ShortKeyList } from '../keys/schema.ts';

// The input that the adapter of SCIM passes on. Its attributes are read by their declaration (core/scim), because
// directories send them in forms that one schema can't describe.

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
/** The resources in an answer are not checked, because the check of 200 large ones would take a millisecond. */
export const ListAnswer = z.object({ total: z.int(), resources: z.array(z.unknown()) });
export const NoAnswer = z.strictObject({});

// The page of the app

const request = {
  id: z.string().meta({ description: 'The entry of the request log.' }),
  method: z.string(),
  route: z.string(),
  status: z.int(),
  created_at: Time,
};

export const DirectoryState = z.object({
  address: z.string().meta({ description: 'What is entered in the directory.' }),
  keys: ShortKeyList.shape.data.meta({ description: 'The newest ones with the scope `directory:manage`.' }),
  people: z
    .object({ active: z.int(), invited: z.int(), deactivated: z.int() })
    .meta({ description: 'Of whom the directory said something.' }),
  days: z.int().meta({ description: 'How far back `last` and `refusals` look.' }),
  last: z.object(request).nullable().meta({ description: 'The newest request with one of these keys.' }),
  refusals: z
    .array(
      z.object({
        ...request,
        code: z.string().nullable(),
        detail: z
          .string()
          .nullable()
          .meta({ description: 'In English. Null if there is none, or while the team hides member details.' }),
        requests: z.int().meta({ description: 'So many had this answer.' }),
      }),
    )
    .meta({ description: 'The latest, one for each route and answer.' }),
});
export type DirectoryState = z.output<typeof DirectoryState>;
