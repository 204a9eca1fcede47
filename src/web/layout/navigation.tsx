import { Box, ScrollArea, Stack } from '@mantine/core';
import { NavLink } from 'react-router';
import { useText } from '../language/language.ts';
import { groups } from '../pages.tsx';
import { useHere } from '../session/me.ts';
import classes from './shell.module.css';

/** The pages that are open to whoever is signed in. */
export const Navigation = ({ onNavigate }: { onNavigate: () => void }) => {
  const t = useText();
  const { may } = useHere();
  return (
    <ScrollArea type="auto" h="100%">
      <Stack gap="lg" py="md" component="nav" aria-label={t('Seiten', 'Pages')}>
        {groups.map(({ name, entries }) => {
          const open = entries.filter(({ needs }) => may(needs));
          return open.length === 0 ? null : (
            <Box key={name(t)}>
              <div className={classes['group']}>{name(t)}</div>
              {open.map(({ path, name: nameOf, Icon }) => (
                <NavLink key={path} to={path} end={path === '/'} className={classes['link'] ?? ''} onClick={onNavigate}>
                  <Icon size={18} stroke={1.7} aria-hidden />
                  {nameOf(t)}
                </NavLink>
              ))}
            </Box>
          );
        })}
      </Stack>
    </ScrollArea>
  );
};
