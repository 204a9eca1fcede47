import type { Cell, CsvColumn } from '../../core/csv.ts';
import type { Language, Texts } from '../../core/language.ts';
import { RawJson } from '../../core/raw-json.ts';
import { appRouter } from '../../modules/app-router.ts';
import type { OwnAssignment } from '../../modules/assignments/schema.ts';
import { actions } from '../../modules/audit/schema.ts';
import type { Case } from '../../modules/cases/schema.ts';
import { namesOf as itemNames } from '../../modules/catalog/service.ts';
import { namesOf as personNames } from '../../modules/members/service.ts';
import { publicRouter } from '../../modules/public-router.ts';
import type { Training } from '../../modules/trainings/schema.ts';
import type { KeyContext, PersonContext } from '../../platform/trpc/context.ts';

// The lists of the app that can be downloaded as CSV, with their columns. The rows come from the list's own procedure, so rights, privacy
// and filters are those of the list. Statuses and kinds have the API's values, so that a file can be compared with it.

/** The contexts in which the caller's procedures run. */
export interface Contexts {
  readonly person: PersonContext;
  readonly key: KeyContext;
}

/** The routers' procedures, called with the caller's rights. */
interface Callers {
  app: ReturnType<typeof appRouter.createCaller>;
  api: ReturnType<typeof publicRouter.createCaller>;
}

/** Looks up the names of the ids in a row. */
interface Names {
  person: (id: string | null | undefined) => string;
  item: (id: string | null | undefined) => string;
  language: Language;
}

type Ids = readonly (string | null | undefined)[];

/** The user ids and the ids of catalog items in a row, whose names its columns show. */
interface Referred {
  people?: Ids;
  items?: Ids;
}

type Columns<Row> = readonly (readonly [de: string, en: string, value: (row: Row, names: Names) => Cell])[];

interface Declared<Row> {
  /** The beginning of the file's name. */
  file: Texts;
  columns: Columns<Row>;
  refers?: (row: Row) => Referred;
  /** The procedure has no pages. */
  whole?: boolean;
}

/** A procedure that gives the rows of a list. */
type Rows<Row> = (input: never) => Promise<{ data: readonly Row[]; next_cursor?: string | null }>;

export interface CsvList {
  readonly file: Texts;
  readonly columns: readonly CsvColumn<readonly Cell[]>[];
  readonly whole: boolean;
  /** Reads a page: its cells, and the cursor of the next page. */
  readonly read: (contexts: Contexts, input: object) => Promise<{ rows: Cell[][]; next: string | undefined }>;
}

const unique = (ids: Ids): string[] => [...new Set(ids.filter((id) => typeof id === 'string'))];

const namesFor = async ({ team, person, language }: PersonContext, referred: readonly Referred[]): Promise<Names> => {
  const userIds = unique(referred.flatMap(({ people = [] }) => people));
  const people = new Map<unknown, string>();
  for (const { user_id, name, email } of await personNames(team, person, userIds))
    people.set(user_id, name ?? email ?? '');
  const itemIds = unique(referred.flatMap((row) => row.items ?? []));
  const items = new Map<unknown, string>();
  for (const { id, name } of await itemNames(team, itemIds, language)) items.set(id, name ?? '');
  return { person: (id) => people.get(id) ?? '', item: (id) => items.get(id) ?? '', language };
};

const list = <Row>(
  procedure: (callers: Callers) => Rows<Row>,
  { file, columns, refers = () => ({}), whole = false }: Declared<Row>,
): CsvList => ({
  file,
  columns: columns.map(([de, en], index) => ({ heading: { de, en }, value: (cells) => cells[index] })),
  whole,
  read: async ({ person, key }, input) => {
    const read = procedure({ app: appRouter.createCaller(person), api: publicRouter.createCaller(key) });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the procedure checks its input
    const { data, next_cursor: next } = await read(input as never);
    const names = await namesFor(person, data.map(refers));
    return { rows: data.map((row) => columns.map(([, , value]) => value(row, names))), next: next ?? undefined };
  },
});

const joined = (texts: readonly string[]): string => texts.join(' ');

/** A free-form value, which the database gives as text. */
const json = (value: unknown): Cell => {
  if (value === null || value === undefined) return null;
  return value instanceof RawJson ? value.text : JSON.stringify(value);
};
/** JSON in which each id with a name is replaced by `name (id)`. */
const withNames = (data: unknown, names: Readonly<Record<string, string>>): string =>
  JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'string' && Object.hasOwn(names, value) ? `${names[value]} (${value})` : value,
  );
const digits = (text: string | null): Cell => (text === null ? null : { digits: text });

type Practice = Pick<Training, 'situation_id' | 'personality_id' | 'industry_id'>;

const practiceOf = (row: Practice): Ids => [row.situation_id, row.personality_id, row.industry_id];

const practice: Columns<Practice> = [
  ['Situation', 'Situation', (row, { item }) => item(row.situation_id)],
  ['Persönlichkeit', 'Personality', (row, { item }) => item(row.personality_id)],
  ['Branche', 'Industry', (row, { item }) => item(row.industry_id)],
];

const trainings: Columns<Training> = [
  ['Training-ID', 'Training ID', ({ id }) => id],
  ['Person', 'Person', ({ user_id }, { person }) => person(user_id)],
  ['Status', 'Status', ({ status }) => status],
  ['Quelle', 'Source', ({ source }) => source],
  ...practice,
  ['Rolle', 'Role', ({ role_id }, { item }) => item(role_id)],
  ['Begonnen', 'Started', ({ created_at }) => created_at],
  ['Beendet', 'Ended', ({ finished_at }) => finished_at],
  ['Dauer in Sekunden', 'Length in seconds', ({ duration_s }) => duration_s],
  ['Aufgaben-ID', 'Assignment ID', ({ assignment_id }) => assignment_id],
];

const assignments: Columns<OwnAssignment> = [
  ['Aufgaben-ID', 'Assignment ID', ({ id }) => id],
  ['Titel', 'Title', ({ title }) => title],
  ['Status', 'Status', ({ status }) => status],
  ['Überfällig', 'Overdue', ({ overdue }) => overdue],
  ['Fällig am', 'Due', ({ due_date }) => due_date],
  ['Schwerpunkt', 'Focus', ({ focus_dimension }) => focus_dimension],
  ...practice,
  ['Notiz', 'Note', ({ note }) => note],
  ['Angelegt', 'Created', ({ created_at }) => created_at],
];

const cases: Columns<Case> = [
  ['Fall-ID', 'Case ID', ({ id }) => id],
  ['Titel', 'Title', ({ title }) => title],
  ['Person', 'Person', ({ user_id }, { person }) => person(user_id)],
  ['Persona-ID', 'Persona ID', ({ persona_id }) => persona_id],
  ['Felder (JSON)', 'Fields (JSON)', ({ fields }) => json(fields)],
  ['Externe Referenz (JSON)', 'External reference (JSON)', ({ external_ref }) => json(external_ref)],
  ['Angelegt', 'Created', ({ created_at }) => created_at],
];

const labels: ReadonlyMap<string, Texts> = new Map(Object.entries(actions));

/** All lists by their name in the URL of a download. */
export const csvLists = {
  members: list(({ app }) => app.members.list, {
    file: { de: 'Mitglieder', en: 'members' },
    columns: [
      ['Mitglieds-ID', 'Member ID', ({ id }) => id],
      ['Name', 'Name', ({ name }) => name],
      ['E-Mail', 'Email', ({ email }) => email],
      ['Rolle', 'Role', ({ role }) => role],
      ['Status', 'Status', ({ status }) => status],
      ['Berechtigungen', 'Permissions', ({ rights }) => joined(rights)],
      ['2FA', '2FA', ({ two_factor }) => two_factor],
      ['Eingeladen', 'Invited', ({ invited_at }) => invited_at],
      ['Beigetreten', 'Joined', ({ joined_at }) => joined_at],
      ['Einladung gültig bis', 'Invitation expires', ({ invitation }) => invitation?.expires_at],
    ],
  }),
  former_members: list(({ app }) => app.formerMembers.list, {
    file: { de: 'Ehemalige-Mitglieder', en: 'former-members' },
    columns: [
      ['Mitglieds-ID', 'Member ID', ({ id }) => id],
      ['Name', 'Name', ({ name }) => name],
      ['E-Mail', 'Email', ({ email }) => email],
      ['Letzte Rolle', 'Last role', ({ role }) => role],
      ['Ausgeschieden', 'Left', ({ ended_at }) => ended_at],
    ],
  }),
  trainings: list(({ api }) => api.trainings.list, {
    file: { de: 'Trainings', en: 'trainings' },
    columns: trainings,
    refers: (row) => ({ people: [row.user_id], items: [...practiceOf(row), row.role_id] }),
  }),
  own_trainings: list(({ app }) => app.myTrainings.list, {
    file: { de: 'Eigene-Trainings', en: 'own-trainings' },
    columns: trainings,
    refers: (row) => ({ people: [row.user_id], items: [...practiceOf(row), row.role_id] }),
  }),
  assignments: list(({ app }) => app.assigning.list, {
    file: { de: 'Aufgaben', en: 'assignments' },
    columns: [
      ...assignments,
      ['Name', 'Name', ({ member }) => member.name],
      ['E-Mail', 'Email', ({ member }) => member.email],
    ],
    refers: (row) => ({ items: practiceOf(row) }),
  }),
  own_assignments: list(({ app }) => app.assigning.mine, {
    file: { de: 'Eigene-Aufgaben', en: 'own-assignments' },
    columns: assignments,
    refers: (row) => ({ items: practiceOf(row) }),
  }),
  cases: list(({ api }) => api.cases.list, {
    file: { de: 'Fälle', en: 'cases' },
    columns: cases,
    refers: ({ user_id }) => ({ people: [user_id] }),
  }),
  own_cases: list(({ app }) => app.ownCases.list, {
    file: { de: 'Eigene-Fälle', en: 'own-cases' },
    columns: cases,
    refers: ({ user_id }) => ({ people: [user_id] }),
  }),
  keys: list(({ app }) => app.keys.list, {
    file: { de: 'API-Schlüssel', en: 'api-keys' },
    columns: [
      ['Schlüssel-ID', 'Key ID', ({ key_id }) => key_id],
      ['Name', 'Name', ({ name }) => name],
      ['Präfix', 'Prefix', ({ prefix }) => prefix],
      ['Status', 'Status', ({ status }) => status],
      ['Berechtigungen', 'Scopes', ({ scopes }) => joined(scopes)],
      ['Erlaubte Adressen', 'Allowed addresses', ({ allowed_ips }) => joined(allowed_ips)],
      ['Angelegt', 'Created', ({ created_at }) => created_at],
      ['Angelegt von', 'Created by', ({ created_by }) => created_by.email],
      ['Gültig bis', 'Expires', ({ expires_at }) => expires_at],
      ['Zuletzt verwendet', 'Last used', ({ last_used_at }) => last_used_at],
    ],
  }),
  key_days: list(
    ({ app }) =>
      async (input) => ({ data: (await app.keys.usage(input)).days }),
    {
      whole: true,
      file: { de: 'Nutzung', en: 'usage' },
      columns: [
        ['Tag (UTC)', 'Day (UTC)', ({ day }) => day],
        ['Anfragen', 'Requests', ({ requests }) => requests],
        ['Rate-Limit (429)', 'Rate limited', ({ limited }) => limited],
        ['Abgelehnt', 'Rejected', ({ refused }) => refused],
        ['Fehlgeschlagen', 'Failed', ({ failed }) => failed],
      ],
    },
  ),
  requests: list(({ app }) => app.requests.list, {
    file: { de: 'Anfragen', en: 'requests' },
    columns: [
      ['Zeit', 'Time', ({ created_at }) => created_at],
      ['Anfrage-ID', 'Request ID', ({ request_id }) => request_id],
      ['Schlüssel', 'Key', ({ key }) => key.name],
      ['Präfix', 'Prefix', ({ key }) => key.prefix],
      ['Methode', 'Method', ({ method }) => method],
      ['Route', 'Route', ({ route }) => route],
      ['Status', 'Status', ({ status }) => status],
      ['Code', 'Code', ({ code }) => code],
      ['Dauer in ms', 'Duration in ms', ({ duration_ms }) => duration_ms],
      ['Anzahl', 'Count', ({ count }) => count],
    ],
  }),
  audit: list(({ app }) => app.audit.list, {
    file: { de: 'Protokoll', en: 'audit-log' },
    columns: [
      ['Zeit', 'Time', ({ created_at }) => created_at],
      ['Aktion', 'Action', ({ action }) => action],
      ['Bezeichnung', 'Label', ({ action }, { language }) => labels.get(action)?.[language]],
      ['Akteur (Typ)', 'Actor (type)', ({ actor }) => actor.kind],
      ['Akteur', 'Actor', ({ actor }) => actor.name],
      ['Akteur (ID)', 'Actor (ID)', ({ actor }) => actor.id],
      ['Objekt (Typ)', 'Target (type)', ({ target }) => target.type],
      ['Objekt', 'Target', ({ target }) => target.name],
      ['Objekt (ID)', 'Target (ID)', ({ target }) => target.id],
      ['Änderungen (JSON)', 'Changes (JSON)', ({ data, names }) => withNames(data, names)],
      ['IP-Adresse', 'IP address', ({ address }) => address],
      ['Anfrage-ID', 'Request ID', ({ request_id }) => request_id],
      ['Eintrags-ID', 'Entry ID', ({ id }) => id],
    ],
  }),
  endpoints: list(({ api }) => api.webhooks.list, {
    whole: true,
    file: { de: 'Webhook-Endpunkte', en: 'webhook-endpoints' },
    columns: [
      ['Endpunkt-ID', 'Endpoint ID', ({ id }) => id],
      ['URL', 'URL', ({ url }) => url],
      ['Beschreibung', 'Description', ({ description }) => description],
      ['Status', 'Status', ({ status }) => status],
      ['Ereignisse', 'Events', ({ events }) => joined(events)],
      ['API-Version', 'API version', ({ api_version }) => api_version],
      ['Angelegt', 'Created', ({ created_at }) => created_at],
      ['Zuletzt zugestellt', 'Last delivered', ({ last_success_at }) => last_success_at],
    ],
  }),
  deliveries: list(({ app }) => app.webhookHistory.deliveries, {
    file: { de: 'Zustellungen', en: 'deliveries' },
    columns: [
      ['Zustellungs-ID', 'Delivery ID', ({ id }) => id],
      ['Ereignis', 'Event', ({ event_type }) => event_type],
      ['Ereignis-ID', 'Event ID', ({ event_id }) => event_id],
      ['Status', 'Status', ({ status }) => status],
      ['Versuche', 'Attempts', ({ attempt }) => attempt],
      ['Antwortstatus', 'Response status', ({ response_code }) => response_code],
      ['Antwortzeit in ms', 'Response time in ms', ({ response_ms }) => response_ms],
      ['Fehler', 'Error', ({ error }) => error],
      ['Angelegt', 'Created', ({ created_at }) => created_at],
      ['Nächster Versuch', 'Next attempt', ({ next_try_at }) => next_try_at],
    ],
  }),
  crm_connections: list(({ app }) => app.crm.connections, {
    whole: true,
    file: { de: 'CRM-Verbindungen', en: 'crm-connections' },
    columns: [
      ['Verbindungs-ID', 'Connection ID', ({ connection_id }) => connection_id],
      ['CRM', 'CRM', ({ provider }) => provider],
      ['Name', 'Name', ({ label }) => label],
      ['Status', 'Status', ({ status }) => status],
      ['Deals', 'Deals', ({ deals }) => deals],
      ['Einwände', 'Objections', ({ objections }) => objections],
      ['Letzter Abgleich', 'Last sync', ({ last_sync_at }) => last_sync_at],
      ['Ergebnis', 'Outcome', ({ last_outcome }) => last_outcome],
      ['Grund', 'Reason', ({ last_reason }) => last_reason],
      ['Angelegt', 'Created', ({ created_at }) => created_at],
    ],
  }),
  crm_runs: list(({ app }) => app.crm.runs, {
    file: { de: 'CRM-Abgleiche', en: 'crm-syncs' },
    columns: [
      ['Begonnen', 'Started', ({ started_at }) => started_at],
      ['Beendet', 'Ended', ({ ended_at }) => ended_at],
      ['Typ', 'Type', ({ kind }) => kind],
      ['Von Hand', 'On demand', ({ on_demand }) => on_demand],
      ['Ergebnis', 'Outcome', ({ outcome }) => outcome],
      ['Grund', 'Reason', ({ reason }) => reason],
      ['Deals', 'Deals', ({ deals }) => deals],
      ['Einwände', 'Objections', ({ objections }) => objections],
      ['Gelöscht', 'Deleted', ({ deleted }) => deleted],
    ],
  }),
  deals: list(({ app }) => app.crm.deals, {
    file: { de: 'Deals', en: 'deals' },
    columns: [
      ['Deal-ID', 'Deal ID', ({ id }) => id],
      ['CRM-ID', 'CRM ID', ({ external_id }) => external_id],
      ['Titel', 'Title', ({ title }) => title],
      ['Status', 'Status', ({ outcome }) => outcome],
      ['Betrag', 'Amount', ({ amount }) => digits(amount)],
      ['Währung', 'Currency', ({ currency }) => currency],
      ['Abschluss', 'Close date', ({ close_date }) => close_date],
      ['Wahrscheinlichkeit in %', 'Probability in %', ({ probability }) => probability],
      ['Verlustgrund', 'Lost reason', ({ lost_reason }) => lost_reason],
      ['Person', 'Person', ({ owner_user_id }, { person }) => person(owner_user_id)],
      ['Branche', 'Industry', ({ industry_id }, { item }) => item(industry_id)],
      ['Letzte Aktivität', 'Last activity', ({ last_activity_at }) => last_activity_at],
      ['Abgeglichen', 'Synced', ({ synced_at }) => synced_at],
    ],
    refers: ({ owner_user_id, industry_id }) => ({ people: [owner_user_id], items: [industry_id] }),
  }),
  objections: list(({ app }) => app.crm.objections, {
    file: { de: 'Einwände', en: 'objections' },
    columns: [
      ['Einwand-ID', 'Objection ID', ({ id }) => id],
      ['Kategorie', 'Category', ({ category }) => category],
      ['Text', 'Text', ({ text }) => text],
      ['Sprache', 'Language', ({ lang }) => lang],
      ['Deal-ID', 'Deal ID', ({ deal_id }) => deal_id],
      ['Deal', 'Deal', ({ deal_title }) => deal_title],
      ['Erhoben', 'Raised', ({ created_at }) => created_at],
    ],
  }),
  catalog: list(
    ({ app }) =>
      async (input) => ({ data: (await app.catalog.items(input)).items }),
    {
      whole: true,
      file: { de: 'Katalog', en: 'catalog' },
      columns: [
        ['Eintrags-ID', 'Item ID', ({ id }) => id],
        ['Dimension', 'Dimension', ({ dimension }) => dimension],
        ['Name (Deutsch)', 'Name (German)', ({ name }) => name.de],
        ['Name (Englisch)', 'Name (English)', ({ name }) => name.en],
        ['Eigener Eintrag', 'Own item', ({ own }) => own],
        ['Veröffentlicht', 'Published', ({ published }) => published],
        ['Gesperrt', 'Blocked', ({ blocked }) => blocked],
      ],
    },
  ),
  leaderboard: list(
    ({ app }) =>
      async (input) => ({ data: (await app.leaderboard.show(input)).entries }),
    {
      whole: true,
      file: { de: 'Rangliste', en: 'leaderboard' },
      columns: [
        ['Rang', 'Rank', ({ rank }) => rank],
        ['Name', 'Name', ({ name }) => name],
        ['Trainings', 'Trainings', ({ sessions }) => sessions],
        ['Mittlere Punktzahl', 'Mean score', ({ avg_score }) => avg_score],
        ['Veränderung', 'Change', ({ trend_delta }) => trend_delta],
      ],
    },
  ),
};

/** The name of a list that can be downloaded. */
export type CsvListName = keyof typeof csvLists;

export const isCsvList = (name: string): name is CsvListName => Object.hasOwn(csvLists, name);
