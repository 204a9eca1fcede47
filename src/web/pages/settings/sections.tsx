import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import classes from './sections.module.css';

export type Section = 'team' | 'privacy' | 'company-account' | 'required-sign-in' | 'plan' | 'limits' | 'export';

const sectionTitles = (): Record<Section, string> => ({
  team: t('Team', 'Team'),
  privacy: t('Datenschutz', 'Privacy'),
  'company-account': t('Firmenkonto', 'Company account'),
  'required-sign-in': t('Anmelderichtlinie', 'Sign-in policy'),
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
    <div className={classes['page']}>
      <nav className={classes['links']} aria-label={t('Abschnitte', 'Sections')}>
        {sections.map((section) => (
          <a key={section} href={`#${section}`}>
            {titles[section]}
          </a>
        ))}
      </nav>
      <Stack gap="lg" miw={0}>
        {children}
      </Stack>
    </div>
  );
};
