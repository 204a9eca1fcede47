import type { AnyRouter, inferRouterOutputs } from '@trpc/server';
import type { Cell, CsvColumn } from '../core/csv.ts';
import { actions } from '../modules/audit/schema.ts';
import { appRouter } from '../modules/app-router.ts';
import { publicRouter } from '../modules/public-router.ts';
import type { Language, Texts } from '../core/language.ts';
import { RawJson } from '../core/raw-json.ts';

// The lists of the app that can be downloaded as CSV, with their columns. The rows come from the list's own procedure, so rights, privacy
// and filters are those of the list. Statuses and kinds have the API's values, so that a file can be compared with it.

/** Looks up the names of the ids in a row. */
interface Names {
  person: (id: string | null | undefined) => string;
  item: (id: string | null | undefined) => string;
  language: Language;
}

/** A row with the names of the ids in it. */
export interface NamedRow<Row> {
  row: Row;
  names: Names;
}

type Ids = readonly (string | null | undefined)[];

/** The user ids and the ids of catalog items in a row, whose names its columns show. */
export interface Referred {
  people?: Ids;
  items?: Ids;
}

/** A list without the type of its rows. */
export interface CsvList {
  router: AnyRouter;
  /** The procedure's name in its router. */
  procedure: string;
  /** The beginning of the file's name. */
  file: Texts;
  columns: readonly CsvColumn<NamedRow<unknown>>[];
  rowsOf: (answer: object) => readonly unknown[];
  refers(this: void, row: unknown): Referred;
}

/** The answer of a procedure in a router. */
type AnswerOf<R extends AnyRouter, P> = P extends `${infer N}.${infer M}`
  ? inferRouterOutputs<R> extends infer Outputs
    ? N extends keyof Outputs
      ? M extends keyof Outputs[N]
        ? Outputs[N][M]
        : never
      : never
    : never
  : never;

type RowIn<Answer, Field> = Field extends keyof Answer
  ? Answer[Field] extends readonly (infer Row)[]
    ? Row
    : never
  : never;

type Column<Row> = CsvColumn<NamedRow<Row>>;

/** Makes a column. */
const col = <Row>(de: string, en: string, value: (row: Row, names: Names) => Cell): Column<Row> => ({
  heading: { de, en },
  value: ({ row, names }) => value(row, names),
});

interface Declared<Row> {
  file: Texts;
  columns: (column: typeof col<Row>) => readonly Column<Row>[];
  refers?(this: void, row: Row): Referred;
}

/** Declares a list: its procedure, the field of the answer with the rows, and the columns. */
const listsOf =
  <R extends AnyRouter>(router: R) =>
  <const P extends string, const F extends string>(
    procedure: P,
    field: F,
    { file, columns, refers = () => ({}) }: Declared<RowIn<AnswerOf<R, P>, F>>,
  ): CsvList => ({
    router,
    procedure,
    file,
    columns: columns(col),
    rowsOf: (answer) => {
      const rows: unknown = Reflect.get(answer, field);
      return Array.isArray(rows) ? rows : [];
    },
    refers,
  });

const inApp = listsOf(appRouter);
const inApi = listsOf(publicRouter);

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

interface Practice {
  situation_id: string | null;
  personality_id: string | null;
  industry_id: string | null;
}

const practiceOf = (row: Practice): Ids => [row.situation_id, row.personality_id, row.industry_id];

const practice: readonly Column<Practice>[] = [
  col('Situation', 'Situation', (row, { item }) => item(row.situation_id)),
  col('Persönlichkeit', 'Personality', (row, { item }) => item(row.personality_id)),
  col('Branche', 'Industry', (row, { item }) => item(row.industry_id)),
];

interface ListedTraining extends Practice {
  id: string;
  user_id: string;
  status: string;
  source: string;
  role_id: string | null;
  created_at: string | null;
  finished_at: string | null;
  duration_s: number | null;
  assignment_id: string | null;
}

const trainings: readonly Column<ListedTraining>[] = [
  col('Training-ID', 'Training ID', ({ id }) => id),
  col('Person', 'Person', ({ user_id }, { person }) => person(user_id)),
  col('Status', 'Status', ({ status }) => status),
  col('Quelle', 'Source', ({ source }) => source),
  ...practice,
  col('Rolle', 'Role', ({ role_id }, { item }) => item(role_id)),
  col('Begonnen', 'Started', ({ created_at }) => created_at),
  col('Beendet', 'Ended', ({ finished_at }) => finished_at),
  col('Dauer in Sekunden', 'Length in seconds', ({ duration_s }) => duration_s),
  col('Aufgaben-ID', 'Assignment ID', ({ assignment_id }) => assignment_id),
];

interface ListedAssignment extends Practice {
  id: string;
  title: string | null;
  status: string;
  overdue: boolean;
  due_date: string | null;
  focus_dimension: string | null;
  note: string | null;
  created_at: string | null;
}

const assignments: readonly Column<ListedAssignment>[] = [
  col('Aufgaben-ID', 'Assignment ID', ({ id }) => id),
  col('Titel', 'Title', ({ title }) => title),
  col('Status', 'Status', ({ status }) => status),
  col('Überfällig', 'Overdue', ({ overdue }) => overdue),
  col('Fällig am', 'Due', ({ due_date }) => due_date),
  col('Schwerpunkt', 'Focus', ({ focus_dimension }) => focus_dimension),
  ...practice,
  col('Notiz', 'Note', ({ note }) => note),
  col('Angelegt', 'Created', ({ created_at }) => created_at),
];

interface ListedCase {
  id: string;
  user_id: string;
  title: string | null;
  persona_id: string | null;
  fields: unknown;
  external_ref: unknown;
  created_at: string | null;
}

const cases: readonly Column<ListedCase>[] = [
  col('Fall-ID', 'Case ID', ({ id }) => id),
  col('Titel', 'Title', ({ title }) => title),
  col('Person', 'Person', ({ user_id }, { person }) => person(user_id)),
  col('Persona-ID', 'Persona ID', ({ persona_id }) => persona_id),
  col('Felder (JSON)', 'Fields (JSON)', ({ fields }) => json(fields)),
  col('Externe Referenz (JSON)', 'External reference (JSON)', ({ external_ref }) => json(external_ref)),
  col('Angelegt', 'Created', ({ created_at }) => created_at),
];

const labels: ReadonlyMap<string, Texts> = new Map(Object.entries(actions));

/** All lists by their name in the URL of a download. */
export const csvLists = {
  members: inApp('members.list', 'data', {
    file: { de: 'Mitglieder', en: 'members' },
    columns: (column) => [
      column('Mitglieds-ID', 'Member ID', ({ id }) => id),
      column('Name', 'Name', ({ name }) => name),
      column('E-Mail', 'Email', ({ email }) => email),
      column('Rolle', 'Role', ({ role }) => role),
      column('Status', 'Status', ({ status }) => status),
      column('Berechtigungen', 'Permissions', ({ rights }) => joined(rights)),
      column('2FA', '2FA', ({ two_factor }) => two_factor),
      column('Eingeladen', 'Invited', ({ invited_at }) => invited_at),
      column('Beigetreten', 'Joined', ({ joined_at }) => joined_at),
      column('Einladung gültig bis', 'Invitation expires', ({ invitation }) => invitation?.expires_at),
    ],
  }),
  former_members: inApp('formerMembers.list', 'data', {
    file: { de: 'Ehemalige-Mitglieder', en: 'former-members' },
    columns: (column) => [
      column('Mitglieds-ID', 'Member ID', ({ id }) => id),
      column('Name', 'Name', ({ name }) => name),
      column('E-Mail', 'Email', ({ email }) => email),
      column('Letzte Rolle', 'Last role', ({ role }) => role),
      column('Ausgeschieden', 'Left', ({ ended_at }) => ended_at),
    ],
  }),
  trainings: inApi('trainings.list', 'data', {
    file: { de: 'Trainings', en: 'trainings' },
    columns: () => trainings,
    refers: (row) => ({ people: [row.user_id], items: [...practiceOf(row), row.role_id] }),
  }),
  own_trainings: inApp('myTrainings.list', 'data', {
    file: { de: 'Eigene-Trainings', en: 'own-trainings' },
    columns: () => trainings,
    refers: (row) => ({ people: [row.user_id], items: [...practiceOf(row), row.role_id] }),
  }),
  assignments: inApp('assigning.list', 'data', {
    file: { de: 'Aufgaben', en: 'assignments' },
    columns: (column) => [
      ...assignments,
      column('Name', 'Name', ({ member }) => member.name),
      column('E-Mail', 'Email', ({ member }) => member.email),
    ],
    refers: (row) => ({ items: practiceOf(row) }),
  }),
  own_assignments: inApp('assigning.mine', 'data', {
    file: { de: 'Eigene-Aufgaben', en: 'own-assignments' },
    columns: () => assignments,
    refers: (row) => ({ items: practiceOf(row) }),
  }),
  cases: inApi('cases.list', 'data', {
    file: { de: 'Fälle', en: 'cases' },
    columns: () => cases,
    refers: ({ user_id }) => ({ people: [user_id] }),
  }),
  own_cases: inApp('ownCases.list', 'data', {
    file: { de: 'Eigene-Fälle', en: 'own-cases' },
    columns: () => cases,
    refers: ({ user_id }) => ({ people: [user_id] }),
  }),
  keys: inApp('keys.list', 'data', {
    file: { de: 'API-Schlüssel', en: 'api-keys' },
    columns: (column) => [
      column('Schlüssel-ID', 'Key ID', ({ key_id }) => key_id),
      column('Name', 'Name', ({ name }) => name),
      column('Präfix', 'Prefix', ({ prefix }) => prefix),
      column('Status', 'Status', ({ status }) => status),
      column('Berechtigungen', 'Scopes', ({ scopes }) => joined(scopes)),
      column('Erlaubte Adressen', 'Allowed addresses', ({ allowed_ips }) => joined(allowed_ips)),
      column('Angelegt', 'Created', ({ created_at }) => created_at),
      column('Angelegt von', 'Created by', ({ created_by }) => created_by.email),
      column('Gültig bis', 'Expires', ({ expires_at }) => expires_at),
      column('Zuletzt verwendet', 'Last used', ({ last_used_at }) => last_used_at),
    ],
  }),
  key_days: inApp('keys.usage', 'days', {
    file: { de: 'Nutzung', en: 'usage' },
    columns: (column) => [
      column('Tag (UTC)', 'Day (UTC)', ({ day }) => day),
      column('Anfragen', 'Requests', ({ requests }) => requests),
      column('Rate-Limit (429)', 'Rate limited', ({ limited }) => limited),
      column('Abgelehnt', 'Rejected', ({ refused }) => refused),
      column('Fehlgeschlagen', 'Failed', ({ failed }) => failed),
    ],
  }),
  requests: inApp('requests.list', 'data', {
    file: { de: 'Anfragen', en: 'requests' },
    columns: (column) => [
      column('Zeit', 'Time', ({ created_at }) => created_at),
      column('Anfrage-ID', 'Request ID', ({ request_id }) => request_id),
      column('Schlüssel', 'Key', ({ key }) => key.name),
      column('Präfix', 'Prefix', ({ key }) => key.prefix),
      column('Methode', 'Method', ({ method }) => method),
      column('Route', 'Route', ({ route }) => route),
      column('Status', 'Status', ({ status }) => status),
      column('Code', 'Code', ({ code }) => code),
      column('Dauer in ms', 'Duration in ms', ({ duration_ms }) => duration_ms),
      column('Anzahl', 'Count', ({ count }) => count),
    ],
  }),
  audit: inApp('audit.list', 'data', {
    file: { de: 'Protokoll', en: 'audit-log' },
    columns: (column) => [
      column('Zeit', 'Time', ({ created_at }) => created_at),
      column('Aktion', 'Action', ({ action }) => action),
      column('Bezeichnung', 'Label', ({ action }, { language }) => labels.get(action)?.[language]),
      column('Akteur (Typ)', 'Actor (type)', ({ actor }) => actor.kind),
      column('Akteur', 'Actor', ({ actor }) => actor.name),
      column('Akteur (ID)', 'Actor (ID)', ({ actor }) => actor.id),
      column('Objekt (Typ)', 'Target (type)', ({ target }) => target.type),
      column('Objekt', 'Target', ({ target }) => target.name),
      column('Objekt (ID)', 'Target (ID)', ({ target }) => target.id),
      column('Änderungen (JSON)', 'Changes (JSON)', ({ data, names }) => withNames(data, names)),
      column('IP-Adresse', 'IP address', ({ address }) => address),
      column('Anfrage-ID', 'Request ID', ({ request_id }) => request_id),
      column('Eintrags-ID', 'Entry ID', ({ id }) => id),
    ],
  }),
  endpoints: inApi('webhooks.list', 'data', {
    file: { de: 'Webhook-Endpunkte', en: 'webhook-endpoints' },
    columns: (column) => [
      column('Endpunkt-ID', 'Endpoint ID', ({ id }) => id),
      column('URL', 'URL', ({ url }) => url),
      column('Beschreibung', 'Description', ({ description }) => description),
      column('Status', 'Status', ({ status }) => status),
      column('Ereignisse', 'Events', ({ events }) => joined(events)),
      column('API-Version', 'API version', ({ api_version }) => api_version),
      column('Angelegt', 'Created', ({ created_at }) => created_at),
      column('Zuletzt zugestellt', 'Last delivered', ({ last_success_at }) => last_success_at),
    ],
  }),
  deliveries: inApp('webhookHistory.deliveries', 'data', {
    file: { de: 'Zustellungen', en: 'deliveries' },
    columns: (column) => [
      column('Zustellungs-ID', 'Delivery ID', ({ id }) => id),
      column('Ereignis', 'Event', ({ event_type }) => event_type),
      column('Ereignis-ID', 'Event ID', ({ event_id }) => event_id),
      column('Status', 'Status', ({ status }) => status),
      column('Versuche', 'Attempts', ({ attempt }) => attempt),
      column('Antwortstatus', 'Response status', ({ response_code }) => response_code),
      column('Antwortzeit in ms', 'Response time in ms', ({ response_ms }) => response_ms),
      column('Fehler', 'Error', ({ error }) => error),
      column('Angelegt', 'Created', ({ created_at }) => created_at),
      column('Nächster Versuch', 'Next attempt', ({ next_try_at }) => next_try_at),
    ],
  }),
  crm_connections: inApp('crm.connections', 'data', {
    file: { de: 'CRM-Verbindungen', en: 'crm-connections' },
    columns: (column) => [
      column('Verbindungs-ID', 'Connection ID', ({ connection_id }) => connection_id),
      column('CRM', 'CRM', ({ provider }) => provider),
      column('Name', 'Name', ({ label }) => label),
      column('Status', 'Status', ({ status }) => status),
      column('Deals', 'Deals', ({ deals }) => deals),
      column('Einwände', 'Objections', ({ objections }) => objections),
      column('Letzter Abgleich', 'Last sync', ({ last_sync_at }) => last_sync_at),
      column('Ergebnis', 'Outcome', ({ last_outcome }) => last_outcome),
      column('Grund', 'Reason', ({ last_reason }) => last_reason),
      column('Angelegt', 'Created', ({ created_at }) => created_at),
    ],
  }),
  crm_runs: inApp('crm.runs', 'data', {
    file: { de: 'CRM-Abgleiche', en: 'crm-syncs' },
    columns: (column) => [
      column('Begonnen', 'Started', ({ started_at }) => started_at),
      column('Beendet', 'Ended', ({ ended_at }) => ended_at),
      column('Typ', 'Type', ({ kind }) => kind),
      column('Von Hand', 'On demand', ({ on_demand }) => on_demand),
      column('Ergebnis', 'Outcome', ({ outcome }) => outcome),
      column('Grund', 'Reason', ({ reason }) => reason),
      column('Deals', 'Deals', ({ deals }) => deals),
      column('Einwände', 'Objections', ({ objections }) => objections),
      column('Gelöscht', 'Deleted', ({ deleted }) => deleted),
    ],
  }),
  deals: inApp('crm.deals', 'data', {
    file: { de: 'Deals', en: 'deals' },
    columns: (column) => [
      column('Deal-ID', 'Deal ID', ({ id }) => id),
      column('CRM-ID', 'CRM ID', ({ external_id }) => external_id),
      column('Titel', 'Title', ({ title }) => title),
      column('Status', 'Status', ({ outcome }) => outcome),
      column('Betrag', 'Amount', ({ amount }) => digits(amount)),
      column('Währung', 'Currency', ({ currency }) => currency),
      column('Abschluss', 'Close date', ({ close_date }) => close_date),
      column('Wahrscheinlichkeit in %', 'Probability in %', ({ probability }) => probability),
      column('Verlustgrund', 'Lost reason', ({ lost_reason }) => lost_reason),
      column('Person', 'Person', ({ owner_user_id }, { person }) => person(owner_user_id)),
      column('Branche', 'Industry', ({ industry_id }, { item }) => item(industry_id)),
      column('Letzte Aktivität', 'Last activity', ({ last_activity_at }) => last_activity_at),
      column('Abgeglichen', 'Synced', ({ synced_at }) => synced_at),
    ],
    refers: ({ owner_user_id, industry_id }) => ({ people: [owner_user_id], items: [industry_id] }),
  }),
  objections: inApp('crm.objections', 'data', {
    file: { de: 'Einwände', en: 'objections' },
    columns: (column) => [
      column('Einwand-ID', 'Objection ID', ({ id }) => id),
      column('Kategorie', 'Category', ({ category }) => category),
      column('Text', 'Text', ({ text }) => text),
      column('Sprache', 'Language', ({ lang }) => lang),
      column('Deal-ID', 'Deal ID', ({ deal_id }) => deal_id),
      column('Deal', 'Deal', ({ deal_title }) => deal_title),
      column('Erhoben', 'Raised', ({ created_at }) => created_at),
    ],
  }),
  catalog: inApp('catalog.items', 'items', {
    file: { de: 'Katalog', en: 'catalog' },
    columns: (column) => [
      column('Eintrags-ID', 'Item ID', ({ id }) => id),
      column('Dimension', 'Dimension', ({ dimension }) => dimension),
      column('Name (Deutsch)', 'Name (German)', ({ name }) => name.de),
      column('Name (Englisch)', 'Name (English)', ({ name }) => name.en),
      column('Eigener Eintrag', 'Own item', ({ own }) => own),
      column('Veröffentlicht', 'Published', ({ published }) => published),
      column('Gesperrt', 'Blocked', ({ blocked }) => blocked),
    ],
  }),
  leaderboard: inApp('leaderboard.show', 'entries', {
    file: { de: 'Rangliste', en: 'leaderboard' },
    columns: (column) => [
      column('Rang', 'Rank', ({ rank }) => rank),
      column('Name', 'Name', ({ name }) => name),
      column('Trainings', 'Trainings', ({ sessions }) => sessions),
      column('Mittlere Punktzahl', 'Mean score', ({ avg_score }) => avg_score),
      column('Veränderung', 'Change', ({ trend_delta }) => trend_delta),
    ],
  }),
};

/** The name of a list that can be downloaded. */
export type CsvListName = keyof typeof csvLists;

export const isCsvList = (name: string): name is CsvListName => Object.hasOwn(csvLists, name);
