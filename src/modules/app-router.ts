import { wholePersonRouter } from '../platform/trpc/procedures.ts';
import { progress, teamAnalytics, teamTrends } from './analytics/app.ts';
import { assigning } from './assignments/app.ts';
import { audit } from './audit/app.ts';
import { ownCases, teamCases } from './cases/app.ts';
import { catalog, policy } from './catalog/app.ts';
import { companySignIn } from './company-sign-in/app.ts';
import { crm } from './crm/app.ts';
import { formerMembers } from './erasure/app.ts';
import { teamExport } from './export/app.ts';
import { keys } from './keys/app.ts';
import { members } from './members/app.ts';
import { overview } from './overview/app.ts';
import { directory } from './provisioning/app.ts';
import { reference } from './reference/app.ts';
import { requests } from './requests/app.ts';
import { search } from './search/app.ts';
import { team } from './teams/app.ts';
import { myTrainings, sessions } from './trainings/app.ts';
import { webhookHistory } from './webhooks/app.ts';

/** All procedures that only the app has; REST does not offer them. */
export const appRouter = wholePersonRouter({
  assigning,
  audit,
  companySignIn,
  crm,
  directory,
  formerMembers,
  keys,
  members,
  myTrainings,
  overview,
  progress,

  ownCases,
  catalog,
  policy,
  reference,
  requests,
  search,
  sessions,
  team,
  teamAnalytics,
  teamCases,
  teamExport,
  teamTrends,
  webhookHistory,
});
