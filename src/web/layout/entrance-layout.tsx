import { Group } from '@mantine/core';
import { Outlet } from 'react-router';
import { useLanguage } from '../language/language.tsx';
import { ColorSchemeChoice, LanguageChoice, Logo } from './choices.tsx';
import classes from './entrance-layout.module.css';
import { ProgressBar } from './loading.tsx';

/** The frame of the pages that are open without signing in: the product's name above one card. */
export const EntranceLayout = () => {
  useLanguage();
  return (
    <div className={classes['frame']}>
      <ProgressBar />
      <Group component="header" justify="flex-end" wrap="nowrap" gap={4} px={16} py={12}>
        <LanguageChoice />
        <ColorSchemeChoice />
      </Group>
      <main className={classes['main']}>
        <Group justify="center" wrap="nowrap" gap={12} fz={20} fw={650} lts="-0.01em">
          <Logo size={36} />
          Team Customer API
        </Group>
        <Outlet />
      </main>
    </div>
  );
};
