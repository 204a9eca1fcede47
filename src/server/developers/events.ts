import { z } from 'zod';
import { jsonSchemaOf } from '../../core/json-schema.ts';
import type { Language, Texts } from '../../core/language.ts';
import { bodySchemaOf, dataOf, exampleBodyOf } from '../../modules/events/payloads.ts';
import { allEventTypes, eventTexts, sentTypes, type SentType } from '../../core/events.ts';
import { eventHeaders } from '../rest/openapi-webhooks.ts';
import { germanOf } from './german.ts';
import { common, fence, table } from './words.ts';

// The event catalog, from the schemas with which events are sent.

type JsonSchema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

const or: Texts = { de: ' oder ', en: ' or ' };

/** The type of a field, or the values that it may have. */
const typeOf = ({ anyOf, enum: values, const: only, type, format }: JsonSchema, language: Language): string => {
  if (anyOf) return anyOf.map((one) => (typeof one === 'object' ? typeOf(one, language) : '')).join(or[language]);
  if (only !== undefined) return `\`${String(only)}\``;
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  return format ?? [type ?? []].flat().join(or[language]);
};

const fieldsOf = (schema: z.ZodObject, language: Language): string => {
  const { properties = {} } = jsonSchemaOf(schema);
  const rows = Object.entries(properties).map(([name, field]) => {
    const shown = typeof field === 'object' ? field : {};
    const { description = '' } = shown;
    return [`\`${name}\``, typeOf(shown, language), language === 'de' ? germanOf(description) : description];
  });
  return table([common.field[language], common.type[language], common.description[language]], rows);
};

const example = (type: SentType): string => fence('json', JSON.stringify(JSON.parse(exampleBodyOf(type)), null, 2));

/**
 * The fields that all events have. The schema of `ping` describes them; only its `type` is replaced, because it is
 * always `ping`.
 */
export const envelope = (language: Language): string =>
  fieldsOf(bodySchemaOf('ping').extend({ type: z.string().meta({ description: describedType }) }), language);

const describedType = 'The event type. It determines the fields of `data`.';

const onlyThroughApi: Partial<Record<SentType, true>> = { 'assignment.created': true, 'assignment.completed': true };

const notes: Readonly<Record<string, Texts>> = {
  onlyThroughApi: {
    de: 'Nur für das, was über die API geschieht: nicht für das, was Personen in der App tun, und nicht für ein Training, das eine Aufgabe erledigt.',
    en: 'Only for what is done through the API: not for what people do in the app, nor for a training that completes an assignment.',
  },
  aboutEndpoint: {
    de: 'Geht an die anderen Endpunkte des Teams, die es abonniert haben, und in den [Ereignis-Feed](event-feed.md), nie an den betroffenen Endpunkt. Höchstens einmal am Tag für jeden Endpunkt.',
    en: 'Sent to the other endpoints of the team that subscribe to it, and in the [event feed](event-feed.md), never to the endpoint concerned. At most once a day for each endpoint.',
  },
  auditRecorded: {
    de: 'Wird nur ausgelöst, solange ein Endpunkt es abonniert hat, was die Berechtigung `audit:export` braucht. Es steht nicht im [Ereignis-Feed](event-feed.md): `GET /audit-entries` hat das Protokoll. Ein Endpunkt bekommt keine Einträge über sich selbst und seine Zustellungen. Solange personenbezogene Daten ausgeblendet sind, fehlen in Einträgen zu Trainings, Aufgaben und Fällen Person, Anfrage und Adresse, in denen zu Trainings auch alles andere außer der Aktion.',
    en: 'Raised only while an endpoint subscribes to it, which needs the scope `audit:export`. It is not in the [event feed](event-feed.md): `GET /audit-entries` has the audit log. An endpoint gets no entries about itself and its deliveries. While member details are off, entries about trainings, assignments and cases come without person, request and address, those about trainings with nothing but the action.',
  },
  ping: {
    de: 'Dieses Ereignis lässt sich nicht abonnieren: Es entsteht, wenn Sie einen Endpunkt testen.',
    en: 'You can’t subscribe to this event: it is sent when you test an endpoint.',
  },
};

const noteOf = (type: SentType, language: Language): string[] => {
  if (type.startsWith('endpoint.')) return [notes['aboutEndpoint']?.[language] ?? ''];
  if (type === 'audit.recorded') return [notes['auditRecorded']?.[language] ?? ''];
  if (type === 'ping') return [notes['ping']?.[language] ?? ''];
  return onlyThroughApi[type] ? [notes['onlyThroughApi']?.[language] ?? ''] : [];
};

/** A section for each event: when it is sent, the fields of its `data`, and a whole body. */
export const eventCatalogue = (language: Language): string =>
  sentTypes
    .map((type) =>
      [
        `### ${type}`,
        `${eventTexts[type][language]}.`,
        ...noteOf(type, language),
        fieldsOf(dataOf(type), language),
        example(type),
      ].join('\n\n'),
    )
    .join('\n\n');

/** The events to which an endpoint can subscribe, with links to their sections. */
export const eventList = (language: Language): string =>
  allEventTypes.map((type) => `- [\`${type}\`](webhook-events.md#${type}): ${eventTexts[type][language]}`).join('\n');

export const eventExample = (type: string): string => {
  const known = sentTypes.find((name) => name === type);
  if (known === undefined) throw new Error(`There is no event ${type}`);
  return example(known);
};

const checkHeader: Texts = {
  de: 'Nur bei einer [Prüfung Ihres Empfängers](receiver-check.md): welche ihrer Anfragen es ist.',
  en: 'Only in a [check of your receiver](receiver-check.md): which of its requests this is.',
};

/** The headers of a delivery, and the one that a check of a receiver adds. */
export const deliveryHeaders = (language: Language): string =>
  table(
    [common.header[language], common.description[language]],
    [
      ...Object.values(eventHeaders).map(({ name, description }) => [
        `\`${name}\``,
        language === 'de' ? germanOf(description) : description,
      ]),
      ['`Svc-Check`', checkHeader[language]],
    ],
  );
