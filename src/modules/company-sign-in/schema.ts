import { z } from 'zod';
import { canonicalEmail } from '../../core/email-address.ts';
import { saying } from '../../core/language.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { signInDemands } from '../../core/sign-in-demand.ts';
import { boundedText, Instant } from '../../platform/values.ts';

/** A domain as it stands in stored addresses: in ASCII and lower case. */
export const Domain = boundedText(253, { trimmed: true }).transform((text, context) => {
  const domain = canonicalEmail(`x@${text.replace(/^@/, '')}`)?.slice(2);
  if (domain !== undefined) return domain;
  context.addIssue({ code: 'custom', message: companyMessages.notADomain.en, ...saying(companyMessages.notADomain) });
  return z.NEVER;
});
export const DomainPath = z.strictObject({ domain: Domain });

const Text = z.string().trim().min(1).max(1_000);
export const ProviderRole = z.enum(['member', 'admin']);

export const ProviderSettings = z.strictObject({
  issuer: Text,
  client_id: Text,
  /** If absent, the stored secret stays. */
  client_secret: Text.optional(),
  role: ProviderRole,
});
export type ProviderSettings = z.output<typeof ProviderSettings>;

export const ProviderSwitch = z.strictObject({ enabled: z.boolean() });
export const Demand = z.strictObject({
  demand: z.enum(signInDemands),
  from: Instant.optional().meta({ description: 'When it takes effect; by default at once.' }),
});
export type Demand = z.output<typeof Demand>;

export const CompanySignInState = z.strictObject({
  provider: z
    .strictObject({
      enabled: z.boolean(),
      issuer: z.string(),
      client_id: z.string(),
      role: ProviderRole,
      /** When somebody first signed in with these settings, or tested them. */
      tested_at: z.string().nullable(),
    })
    .nullable(),
  domains: z.array(z.strictObject({ domain: z.string(), proven: z.boolean(), record: z.string() })),
  /** The value that the TXT record of each domain must have. */
  record_value: z.string(),
  /** The team's own page to which the provider sends the browser. It has to be registered at the provider. */
  redirect_uri: z.string(),
  demand: z.enum(signInDemands),
  /** Another demand, which replaces `demand` at the time `from`. */
  planned: z.strictObject({ demand: z.enum(signInDemands), from: z.string() }).nullable(),
  /** How many active members there are, and how many of them can sign in in the way that each demand requires. */
  readiness: z.strictObject({ members: z.int(), second_factor: z.int(), company: z.int() }),
});
export type CompanySignInState = z.output<typeof CompanySignInState>;

export const OwnCompanySignInState = CompanySignInState.extend({
  /** How the caller's session began: a demand can be set only in a session that meets it. */
  way: z.enum(['password', 'second_factor', 'company']),
  /**
   * How many of the members concerned by a demand can get a mail about it today. The others get it on the following
   * days.
   */
  mails_left: z.int(),
});
export type OwnCompanySignInState = z.output<typeof OwnCompanySignInState>;
