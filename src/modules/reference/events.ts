import { z } from 'zod';
import { jsonSchemaOf } from '../../core/json-schema.ts';
import type { Language } from '../../core/language.ts';
import { toCamel } from '../../core/spelling.ts';
import { headersOf } from '../../deliveries/message.ts';
import { bodySchemaOf, exampleBodyOf, payloads } from '../events/payloads.ts';
import { eventTexts, isEventType, sentTypes, type SentType } from '../../core/events.ts';
import type { EventField, EventReference } from './schema.ts';

/** The secret of the published test vectors, so that readers can check the example with their own code. */
const secret = 'whsec_TheSecretOfTheTestVectorsBelongsToNobody1234';

const Signed = z.object({ id: z.string(), created_at: z.string() });

/** An event in the form in which it is sent, with its signature. */
const exampleOf = (type: SentType): EventReference['events'][number]['example'] => {
  const body = exampleBodyOf(type);
  const { id, createdAt } = toCamel(Signed.parse(JSON.parse(body)));
  return {
    headers: headersOf({ secret, eventId: id, body, at: new Date(createdAt) }),
    body,
    secret,
  };
};

type Schema = z.core.JSONSchema.BaseSchema;

const isSchema = (part: Schema | boolean): part is Schema => typeof part === 'object';

const typesOf = ({ type = [], anyOf = [] }: Schema): string[] => [type, ...anyOf.filter(isSchema).map(typesOf)].flat();

const fieldsOf = (
  { properties = {}, required = [] }: Schema,
  personal: ReadonlySet<string>,
  within = '',
): EventField[] =>
  Object.entries(properties).flatMap(([key, whole]) => {
    if (!isSchema(whole)) return [];
    const name = `${within}${key}`;
    if (whole.properties) return fieldsOf(whole, personal, `${name}.`);
    const types = typesOf(whole);
    const value = whole.anyOf?.filter(isSchema).find(({ type }) => type !== 'null') ?? whole;
    const values = value.enum ?? (value.const === undefined ? null : [value.const]);
    return [
      {
        name,
        type: types.find((type) => type !== 'null') ?? 'string',
        format: value.format ?? null,
        values: values && values.map(String),
        nullable: types.includes('null'),
        always: required.includes(key),
        personal: personal.has(name),
        about: whole.description ?? value.description ?? null,
      },
    ];
  });

/** All messages to endpoints: when they are sent, their format, and their fields. */
export const describeEvents = (language: Language): EventReference => ({
  events: sentTypes.map((type) => ({
    type,
    about: eventTexts[type][language],
    subscribable: isEventType(type),
    example: exampleOf(type),
    fields: fieldsOf(
      jsonSchemaOf(bodySchemaOf(type)),
      new Set(Object.keys(payloads[type].personal.shape).map((key) => `data.${key}`)),
    ),
  })),
});
