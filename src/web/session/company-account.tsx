import { Button } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemAlert } from '../kit/page/messages.tsx';
import { t } from '../language/language.tsx';
import { client } from '../server/server.ts';

/** Leaves the app for the provider's page. The promise is never settled, so that the button stays busy. */
export const leaveFor = (url: string): Promise<never> => {
  window.location.assign(url);
  return new Promise(() => undefined);
};

/** Starts a sign-in with the company account of a team. Returns the address where it continues. */
export const startFor = async (email: string, tenantId: string, next: string): Promise<string> => {
  const wanted = { email, tenant_id: tenantId, next };
  return (await client.entrance.entrance.startCompanySignIn.mutate(wanted)).redirect_to ?? '/sign-in/company';
};

interface CompanyButtonProps {
  disabled?: boolean;
  size?: 'md' | 'sm' | 'compact-sm';
  /** Returns the address of the provider's page. */
  start: () => Promise<string>;
  children?: ReactNode;
}

/** A button that leads to the provider's page. */
export const CompanyButton = ({ start, disabled = false, size = 'sm', children }: CompanyButtonProps) => {
  const leaving = useMutation({ mutationFn: async () => leaveFor(await start()) });
  return (
    <>
      <Button
        leftSection={<IconBuilding size={18} aria-hidden />}
        size={size}
        // Less padding, so that the text stays on one line in the narrow card of the entrance.
        {...(size === 'md' && { px: 'xs' })}
        disabled={disabled}
        loading={leaving.isPending}
        onClick={() => leaving.mutate()}
      >
        {children ?? t('Mit dem Firmenkonto anmelden', 'Sign in with your company account')}
      </Button>
      <ProblemAlert error={leaving.error} />
    </>
  );
};
