import { Flex, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Owner } from '../../kit/names/owner.tsx';
import { Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { TextLink } from '../../kit/text/text.tsx';
import { addressOf, type Section } from './rights.ts';

const sectionTitles = (): Record<Section, string> => ({
  team: t('Team', 'Team'),
  privacy: t('Datenschutz', 'Privacy'),
  reminders: t('Erinnerungen', 'Reminders'),
  'company-account': t('Firmenkonto', 'Company account'),
  'required-sign-in': t('Anmelderichtlinie', 'Sign-in policy'),
  directory: t('Verzeichnis (SCIM)', 'Directory (SCIM)'),
  plan: t('Tarif', 'Plan'),
  limits: t('Limits', 'Limits'),
  export: t('Daten exportieren', 'Export data'),
});

interface SectionPanelProps {
  section: Section;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export const SectionPanel = ({ section, ...panel }: SectionPanelProps) => (
  <Panel id={section} title={sectionTitles()[section]} {...panel} />
);

/** A section that is closed to the reader. */
export const ClosedSection = ({ section }: { section: Section }) => (
  <SectionPanel section={section}>
    <Text size="sm">
      {t(
        'Nur der Inhaber und Admins mit der Berechtigung für API-Schlüssel können das einrichten. Die Berechtigung erteilt der Inhaber: ',
        'Only the owner, and admins with the permission for API keys, can set this up. The owner grants that permission: ',
      )}
      <Owner />.
    </Text>
  </SectionPanel>
);

interface SectionsProps {
  sections: readonly Section[];
  current: Section;
  children: ReactNode;
}

/** A section, with links to all: beside it on wide screens, otherwise above it. */
export const Sections = ({ sections, current, children }: SectionsProps) => {
  const titles = sectionTitles();
  return (
    <Flex direction={{ base: 'column', lg: 'row-reverse' }} align={{ lg: 'flex-start' }} gap="lg">
      <Flex
        component="nav"
        aria-label={t('Abschnitte', 'Sections')}
        direction={{ base: 'row', lg: 'column' }}
        wrap="wrap"
        gap="4px 16px"
        w={{ lg: 180 }}
        pos={{ lg: 'sticky' }}
        top={84}
      >
        {sections.map((section) => (
          <TextLink
            key={section}
            to={addressOf(section)}
            {...(section === current
              ? { 'aria-current': 'page', fw: 600, c: 'var(--mantine-color-text)' }
              : { c: 'dimmed' })}
            underline="hover"
            py={4}
          >
            {titles[section]}
          </TextLink>
        ))}
      </Flex>
      <Stack gap="lg" flex={1} miw={0}>
        {children}
      </Stack>
    </Flex>
  );
};
