import { Button, Stack, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notify, ProblemAlert } from './messages.tsx';

export interface ActionButtonProps extends ButtonProps {
  act: () => Promise<unknown>;
  /** The message after the action has succeeded. */
  done?: string;
  'aria-label'?: string;
}

/** A button that changes something at once. If that fails, it shows the reason. */
export const ActionButton = ({ act, done, ...button }: ActionButtonProps) => {
  const action = useMutation({
    mutationFn: async () => {
      await act();
      // Called before the page is loaded again, which may remove the button.
      if (done !== undefined) notify(done);
    },
  });
  return (
    <Stack gap="xs" align="flex-end" style={{ whiteSpace: 'normal' }}>
      <Button {...button} loading={action.isPending} onClick={() => action.mutate()} />
      <ProblemAlert error={action.error} />
    </Stack>
  );
};
