import { z } from 'zod';
import { allScopes, allKeyTemplates } from '../../core/scopes.ts';

export const Nothing = z.strictObject({});

export const ScopeReference = z.object({
  scopes: z.array(
    z.object({
      scope: z.enum(allScopes),
      about: z.string(),
      routes: z.array(z.string()).meta({ description: 'The routes that need it, like `GET /users`.' }),
    }),
  ),
  templates: z.array(
    z.object({
      template: z.enum(allKeyTemplates),
      name: z.string(),
      about: z.string(),
      scopes: z.array(z.enum(allScopes)),
    }),
  ),
});
export type ScopeReference = z.output<typeof ScopeReference>;

const EventField = z.object({
  name: z.string().meta({ description: 'The path of the field, like `data.user_id`.' }),
  type: z.string(),
  format: z.string().nullable(),
  values: z.array(z.string()).nullable().meta({ description: 'All possible values, if there are few.' }),
  nullable: z.boolean(),
  always: z.boolean().meta({ description: 'Whether it is in every such event.' }),
  personal: z.boolean().meta({ description: 'Present only while the team shows details about individual people.' }),
  about: z.string().nullable().meta({ description: 'In English, as in the API’s description.' }),
});
export type EventField = z.output<typeof EventField>;

export const EventReference = z.object({
  events: z.array(
    z.object({
      type: z.string(),
      about: z.string(),
      subscribable: z
        .boolean()
        .meta({ description: 'Whether endpoints can subscribe to it. `ping` is sent by a test only.' }),
      example: z.object({
        headers: z.record(z.string(), z.string()).meta({ description: 'The signature is genuine.' }),
        body: z.string().meta({ description: 'Exactly as it is sent.' }),
        secret: z.string().meta({ description: 'The example’s signing secret, which no endpoint has.' }),
      }),
      fields: z.array(EventField),
    }),
  ),
});
export type EventReference = z.output<typeof EventReference>;

export const LimitReference = z.object({
  invitations_per_hour: z.int(),
  addresses_looked_up: z.int(),
  key_name_characters: z.int(),
  key_grace_days: z.int(),
  invitation_days: z.int(),
  assignment_title_characters: z.int(),
  compared_members: z.int().meta({ description: 'How many members must have a training before members are compared.' }),
  assignment_recipients: z.int().meta({ description: 'Members who can get the same assignment in one call.' }),
  webhooks: z.object({
    pause_after_seconds: z.int(),
    url_characters: z.int(),
    description_characters: z.int(),
    source_addresses: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Where requests to receivers come from; null if the operator has given no addresses.' }),
  }),
  crm: z.object({
    label_characters: z.int(),
    token_characters: z.int(),
    interval_seconds: z.object({ min: z.int(), default: z.int(), max: z.int() }),
    jitter: z.number(),
    runs_kept: z.int(),
  }),
});
export type LimitReference = z.output<typeof LimitReference>;
