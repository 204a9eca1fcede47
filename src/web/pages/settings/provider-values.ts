import type { OwnCompanySignInState } from '../../../modules/company-sign-in/schema.ts';

type Provider = Pick<NonNullable<OwnCompanySignInState['provider']>, 'issuer' | 'client_id' | 'role'>;

/** The form of the provider. New people join as members. The secret is never shown. */
export const providerValues = (provider: Provider | null) => ({
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  role: provider?.role ?? ('member' as const),
});

/** If no secret was typed, the stored one stays. */
export const secretToSend = (secret: string): { client_secret?: string } =>
  secret === '' ? {} : { client_secret: secret };
