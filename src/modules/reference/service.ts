import type { Language } from '../../core/language.ts';
import { crmLimits, limits, webhookLimits } from '../../core/limits.ts';
import { endpointLimits } from '../webhooks/webhook-limits.ts';
import { allKeyTemplates, allScopes, keyTemplates, scopeTexts, templateTexts, type Scope } from '../../core/scopes.ts';
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
export const limitsOf = (team: Team): LimitReference => ({
  invitations_per_hour: limits.invitationsPerHour,
  addresses_looked_up: limits.addressesLookedUp,
  key_name_characters: limits.keyNameCharacters,
  key_grace_days: limits.keyRotationGraceDays,
  invitation_days: limits.invitationDays,
  assignment_title_characters: limits.assignmentTitleCharacters,
  compared_members: limits.comparedMembers,
  assignment_recipients: limits.assignmentRecipients,
  webhooks: {
    pause_after_seconds: team.platform.deliverySchedule.pauseAfterSeconds,
    signature_age_seconds: webhookLimits.signatureAgeSeconds,
    url_characters: endpointLimits.urlCharacters,
    description_characters: endpointLimits.descriptionCharacters,
  },
  crm: {
    label_characters: crmLimits.labelCharacters,
    token_characters: crmLimits.tokenCharacters,
    interval_seconds: crmLimits.interval,
    jitter: crmLimits.jitter,
    runs_kept: crmLimits.runsKept,
  },
});
