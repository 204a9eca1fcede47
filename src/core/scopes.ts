import type { Texts } from './language.ts';

/** What a key may do. Keys, the gate, routes, OpenAPI, docs and tests use this list. */
export const scopes = {
  'users:read': 'read members',
  'users:write': 'invite, change role, remove members',
  'trainings:read': 'training metadata',
  'evaluations:read': 'evaluations (score, dimensions, tips; no transcript)',
  'assignments:read': 'read assignments',
  'assignments:write': 'create, update, delete assignments',
  'cases:read': 'read team cases, CRM deals and objections',
  'cases:write': 'create, update, delete team cases',
  'catalog:read': "catalog within the team's effective policy",
  'analytics:read': 'aggregated team analytics',
  'webhooks:manage': 'webhook endpoints, tests, delivery retries and listings; the event feed',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

/** The scopes in plain words, for people who choose what a key may do. */
export const scopeTexts: Readonly<Record<Scope, Texts>> = {
  'users:read': { de: 'Mitglieder des Teams sehen', en: 'See the members of the team' },
  'users:write': {
    de: 'Mitglieder einladen, ihre Rolle ändern und sie entfernen',
    en: 'Invite members, change their role and remove them',
  },
  'trainings:read': {
    de: 'Sehen, wer wann wie lange trainiert hat',
    en: 'See who practised when and for how long',
  },
  'evaluations:read': {
    de: 'Auswertungen sehen: Punkte, Dimensionen und Tipps, keine Mitschriften',
    en: 'See evaluations: score, dimensions and tips, no transcripts',
  },
  'assignments:read': { de: 'Aufgaben sehen', en: 'See assignments' },
  'assignments:write': {
    de: 'Aufgaben anlegen, ändern und löschen',
    en: 'Create, change and delete assignments',
  },
  'cases:read': {
    de: 'Fälle des Teams sowie Deals und Einwände aus dem CRM sehen',
    en: 'See the team’s cases, and deals and objections from the CRM',
  },
  'cases:write': { de: 'Fälle des Teams anlegen, ändern und löschen', en: 'Create, change and delete team cases' },
  'catalog:read': { de: 'Den freigegebenen Katalog sehen', en: 'See the released catalog' },
  'analytics:read': {
    de: 'Zusammengefasste Zahlen des Teams sehen',
    en: 'See the team’s figures, added up',
  },
  'webhooks:manage': {
    de: 'Webhook-Endpunkte verwalten und testen, Zustellungen sehen und wiederholen, Ereignisse lesen',
    en: 'Manage and test webhook endpoints, see and retry deliveries, read events',
  },
};

export const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text);

export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'));

/** The selections of scopes that the app and the command line offer. */
export const keyTemplates = {
  read_only: readScopes,
  read_assignments: [...readScopes, 'assignments:write'],
  all: allScopes,
} as const satisfies Record<string, readonly Scope[]>;

export type KeyTemplate = keyof typeof keyTemplates;

const isKeyTemplate = (text: string): text is KeyTemplate => Object.hasOwn(keyTemplates, text);

export const allKeyTemplates: readonly KeyTemplate[] = Object.keys(keyTemplates).filter(isKeyTemplate);

export const templateTexts: Readonly<Record<KeyTemplate, { name: Texts; about: Texts }>> = {
  read_only: {
    name: { de: 'Nur lesen', en: 'Read only' },
    about: {
      de: 'Liest alles, ändert nichts. Gut für Berichte und Dashboards.',
      en: 'Reads everything, changes nothing. Good for reports and dashboards.',
    },
  },
  read_assignments: {
    name: { de: 'Lesen und Aufgaben vergeben', en: 'Read, and give assignments' },
    about: {
      de: 'Liest alles und vergibt Aufgaben, zum Beispiel aus dem CRM oder einem Lernsystem.',
      en: 'Reads everything and gives assignments, for instance from the CRM or a learning system.',
    },
  },
  all: {
    name: { de: 'Alles', en: 'Everything' },
    about: {
      de: 'Darf alles, was die API kann, auch Mitglieder entfernen. Nur wenn es nötig ist.',
      en: 'May do everything that the API can, removing members included. Only where that is needed.',
    },
  },
};
