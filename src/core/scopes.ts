import type { Texts } from './language.ts';

/** The scopes of keys. Keys, the gate, routes, OpenAPI, docs and tests use this list. */
export const scopes = {
  'users:read': 'read members',
  'users:write': 'invite, change role, remove members',
  'trainings:read': 'training metadata',
  'evaluations:read': 'evaluations (score, dimensions, tips; no transcript)',
  'assignments:read': 'read assignments',
  'assignments:write': 'create, update, delete assignments',
  'cases:read': 'read team cases, CRM deals and objections',
  'cases:write': 'create, update, delete team cases',
  'catalog:read': 'catalog within the team’s effective policy',
  'analytics:read': 'aggregated team analytics',
  'webhooks:manage': 'webhook endpoints, tests, delivery retries and listings; the event feed',
  'audit:export': 'the audit log: who did what, when and from which address',
  'directory:manage': 'SCIM: the company’s directory adds, changes and removes members',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof scopes;

/** The scopes in plain words, for people who choose what a key may do. */
export const scopeTexts: Readonly<Record<Scope, Texts>> = {
  'users:read': { de: 'Mitglieder des Teams sehen', en: 'View team members' },
  'users:write': {
    de: 'Mitglieder einladen, ihre Rolle ändern und sie entfernen',
    en: 'Invite members, change their role and remove them',
  },
  'trainings:read': {
    de: 'Trainings der Mitglieder sehen',
    en: 'View members’ trainings',
  },
  'evaluations:read': {
    de: 'Bewertungen sehen: Punktzahl, Bereiche und Tipps, keine Mitschriften',
    en: 'View evaluations: score, areas and tips, no transcripts',
  },
  'assignments:read': { de: 'Aufgaben sehen', en: 'View assignments' },
  'assignments:write': {
    de: 'Aufgaben anlegen, ändern und löschen',
    en: 'Create, change and delete assignments',
  },
  'cases:read': {
    de: 'Team-Fälle sowie Deals und Einwände aus dem CRM sehen',
    en: 'View team cases, and deals and objections from the CRM',
  },
  'cases:write': { de: 'Team-Fälle anlegen, ändern und löschen', en: 'Create, change and delete team cases' },
  'catalog:read': { de: 'Freigegebene Katalogeinträge sehen', en: 'View the allowed catalog items' },
  'analytics:read': {
    de: 'Teamauswertung sehen',
    en: 'View team analytics',
  },
  'webhooks:manage': {
    de: 'Webhook-Endpunkte verwalten und testen, Zustellungen sehen und wiederholen, Ereignisse lesen',
    en: 'Manage and test webhook endpoints, view and retry deliveries, read events',
  },
  'audit:export': {
    de: 'Protokoll lesen: wer was wann und von welcher Adresse aus getan hat',
    en: 'Read the audit log: who did what, when and from which address',
  },
  'directory:manage': {
    de: 'Verzeichnis des Unternehmens anbinden (SCIM): Mitglieder anlegen, ändern und entfernen',
    en: 'Connect the company’s directory (SCIM): add, change and remove members',
  },
};

export const isScope = (text: string): text is Scope => Object.hasOwn(scopes, text);

export const allScopes: readonly Scope[] = Object.keys(scopes).filter(isScope);

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'));

/** The selections of scopes that the app and the command line offer. */
export const keyTemplates = {
  read_only: readScopes,
  read_assignments: [...readScopes, 'assignments:write'],
  // Two scopes must be chosen by name: the audit log has the addresses of people, and a directory decides who is in
  // the team.
  all: allScopes.filter((scope) => scope !== 'audit:export' && scope !== 'directory:manage'),
} as const satisfies Record<string, readonly Scope[]>;

export type KeyTemplate = keyof typeof keyTemplates;

const isKeyTemplate = (text: string): text is KeyTemplate => Object.hasOwn(keyTemplates, text);

export const allKeyTemplates: readonly KeyTemplate[] = Object.keys(keyTemplates).filter(isKeyTemplate);

export const templateTexts: Readonly<Record<KeyTemplate, { name: Texts; about: Texts }>> = {
  read_only: {
    name: { de: 'Nur lesen', en: 'Read only' },
    about: {
      de: 'Lesezugriff auf alle Daten, zum Beispiel für Berichte und Dashboards.',
      en: 'Read access to all data, for example for reports and dashboards.',
    },
  },
  read_assignments: {
    name: { de: 'Lesen und Aufgaben zuweisen', en: 'Read and create assignments' },
    about: {
      de: 'Lesezugriff auf alle Daten und Zuweisen von Aufgaben, zum Beispiel aus einem CRM oder Lernsystem.',
      en: 'Read access to all data and creating assignments, for example from a CRM or learning system.',
    },
  },
  all: {
    name: { de: 'Vollzugriff', en: 'Full access' },
    about: {
      de: 'Zugriff auf alle Funktionen der API außer Protokoll und Verzeichnis, auch das Entfernen von Mitgliedern. Nur bei Bedarf verwenden.',
      en: 'Access to all API operations except the audit log and the directory, including removing members. Use only if required.',
    },
  },
};
