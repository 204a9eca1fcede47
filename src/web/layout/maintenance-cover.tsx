import { Loader, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { t, useLanguage } from '../language/language.tsx';
import { useAvailability, useServerBack } from '../server/availability.ts';
import { Logo } from './choices.tsx';
import classes from './maintenance-cover.module.css';

/** Covers the app during maintenance. The page stays open behind it, and the cover disappears by itself. */
export const MaintenanceCover = () => {
  const queries = useQueryClient();
  const isOn = useAvailability().state === 'maintenance';
  useServerBack(isOn, () => void queries.invalidateQueries());
  return isOn ? <Cover /> : null;
};

const Cover = () => {
  useLanguage();
  const cover = useRef<HTMLDialogElement>(null);
  useEffect(() => cover.current?.showModal(), []);
  return (
    <dialog
      ref={cover}
      className={classes['cover']}
      aria-labelledby="maintenance"
      onCancel={(event) => event.preventDefault()}
    >
      <Stack align="center" justify="center" gap={24} maw={440} mih="90vh" mx="auto" ta="center">
        <Logo />
        <Title order={2} id="maintenance">
          {t('Wartungsarbeiten', 'Maintenance in progress')}
        </Title>
        <Text>
          {t(
            'Die Anwendung ist in Kürze wieder verfügbar. Lassen Sie diese Seite geöffnet: Sie wird automatisch fortgesetzt, Ihre Eingaben bleiben erhalten.',
            'The app will be back shortly. Keep this page open: it resumes automatically, and your input is kept.',
          )}
        </Text>
        <Loader size="sm" type="dots" aria-hidden />
      </Stack>
    </dialog>
  );
};
