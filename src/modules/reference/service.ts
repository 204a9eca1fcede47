import type { Language } from '../../core/language.ts';
import { crmLimits, endpointLimits, limits } from '../../core/limits.ts';
import { allKeyTemplates, allScopes, keyTemplates, scopeTexts, templateTexts, type Scope } from '../../core/scopes.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import type { LimitReference, ScopeReference } from './schema.ts';

interface ScopedRoute {
  scope: Scope | null;
  route: string;
}

/** All scopes with their descriptions and routes, and the templates of keys. */
export const scopesIn = (language: Language, routes: readonly ScopedRoute[]): ScopeReference => ({
  scopes: allScopes.map((scope) => ({
    scope,
    about: scopeTexts[scope][language],
    routes: routes.filter((row) => row.scope === scope).map(({ route }) => route),
  })),
  templates: allKeyTemplates.map((template) => ({
    template,
    name: templateTexts[template].name[language],
    about: templateTexts[template].about[language],
    scopes: [...keyTemplates[template]],
  })),
});

/** The limits that the app shows. */
export const limitsOf = (team: Team): Camel<LimitReference> => ({
  invitationsPerHour: limits.invitationsPerHour,
  addressesLookedUp: limits.addressesLookedUp,
  keyNameCharacters: limits.keyNameCharacters,
  keyGraceDays: limits.keyRotationGraceDays,
  invitationDays: limits.invitationDays,
  assignmentTitleCharacters: limits.assignmentTitleCharacters,
  comparedMembers: limits.comparedMembers,
  assignmentRecipients: limits.assignmentRecipients,
  webhooks: {
    pauseAfterSeconds: team.platform.deliverySchedule.pauseAfterSeconds,
    urlCharacters: endpointLimits.urlCharacters,
    descriptionCharacters: endpointLimits.descriptionCharacters,
    sourceAddresses: team.platform.webhookSources && [...team.platform.webhookSources],
  },
  crm: {
    labelCharacters: crmLimits.labelCharacters,
    tokenCharacters: crmLimits.tokenCharacters,
    intervalSeconds: crmLimits.interval,
    jitter: crmLimits.jitter,
    runsKept: crmLimits.runsKept,
  },
});
