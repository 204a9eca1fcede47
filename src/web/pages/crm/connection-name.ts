import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import type { Connection } from '../../../modules/crm/schema.ts';
import { t } from '../../language/texts.ts';

const providers: readonly string[] = ['feed', 'hubspot', 'pipedrive'] satisfies ProviderName[];

export const isProvider = (provider: string): provider is ProviderName => providers.includes(provider);

export const providerName = (provider: string): string => {
  const names: Record<ProviderName, string> = {
    feed: t('Generischer Feed', 'Generic feed'),
    hubspot: 'HubSpot',
    pipedrive: 'Pipedrive',
  };
  return isProvider(provider) ? names[provider] : provider;
};

/** A connection's name: the team's name for it, or else the name of the CRM. */
export const connectionName = ({ label, provider }: Pick<Connection, 'label' | 'provider'>): string =>
  label ?? providerName(provider);
