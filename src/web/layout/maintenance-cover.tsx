import { Center, Loader, Modal, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useText } from '../language/language.ts';
import { useMaintenance, waitForServer } from '../server/maintenance.ts';
import { Logo } from './logo.tsx';

/** Covers the app during maintenance, without closing the page behind it, and goes away by itself. */
export const MaintenanceCover = () => {
  const t = useText();
  const queries = useQueryClient();
  const isOn = useMaintenance();
  useEffect(() => (isOn ? waitForServer(() => void queries.invalidateQueries()) : undefined), [isOn, queries]);
  return (
    <Modal.Root
      opened={isOn}
      onClose={() => undefined}
      fullScreen
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      zIndex={1_000}
    >
      <Modal.Content>
        <Modal.Body>
          <Center mih="90vh">
            <Stack align="center" gap="lg" maw={440} ta="center">
              <Logo />
              <IconTool size={40} stroke={1.5} aria-hidden />
              <Modal.Title fz="h2" fw={650}>
                {t('Wir führen gerade Wartungsarbeiten durch', 'We are carrying out maintenance')}
              </Modal.Title>
              <Text>
                {t(
                  'Die Anwendung ist in Kürze wieder verfügbar. Sie können diese Seite geöffnet lassen: Es geht automatisch weiter, und Ihre Eingaben bleiben erhalten.',
                  'The app will be back shortly. You can leave this page open: it continues automatically, and what you have entered is kept.',
                )}
              </Text>
              <Loader size="sm" type="dots" aria-hidden />
            </Stack>
          </Center>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
};
