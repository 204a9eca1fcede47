import { Anchor, Flex, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import type { Section } from './rights.ts';

const sectionTitles = (): Record<Section, string> => ({
  team: t('Team', 'Team'),
  privacy: t('Datenschutz', 'Privacy'),
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

/** The page's sections, with links to each: beside them on wide screens, otherwise above them. */
export const Sections = ({ sections, children }: { sections: readonly Section[]; children: ReactNode }) => {
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
          <Anchor key={section} href={`#${section}`} size="sm" c="dimmed" underline="hover" py={4}>
            {titles[section]}
          </Anchor>
        ))}
      </Flex>
      <Stack gap="lg" flex={1} miw={0}>
        {children}
      </Stack>
    </Flex>
  );
};
