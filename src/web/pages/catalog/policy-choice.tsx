import { Box, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MemberChoice } from '../../kit/members.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';

interface PolicyChoiceProps {
  /** Empty for the whole team. */
  member: string;
  onChange: (member: string | null) => void;
}

/** Whose policy is looked at, and what it means. */
export const PolicyChoice = ({ member, onChange }: PolicyChoiceProps) => {
  const t = useText();
  const { data } = api.useAnswer('members.get', { member_id: member }, { enabled: member !== '' });
  const meaning: ReactNode =
    member === ''
      ? t(
          <>
            Was Sie hier sperren, kann niemandem im Team mehr aufgegeben werden: Die App bietet es nicht an, die API
            lehnt solche Aufgaben mit <Code>403 vorgabe_gesperrt</Code> ab und lässt es aus <Code>GET /catalog</Code>{' '}
            weg. Bestehende Aufgaben bleiben, wie sie sind.
          </>,
          <>
            What you block here can’t be given to anybody in the team: the app doesn’t offer it, the API refuses such
            assignments with <Code>403 vorgabe_gesperrt</Code> and leaves it out of <Code>GET /catalog</Code>.
            Assignments that exist stay as they are.
          </>,
        )
      : t(
          <>
            Was Sie hier sperren, gilt für dieses Mitglied allein und zusätzlich zu dem, was für das ganze Team gesperrt
            ist: Aufgaben damit lehnt auch die API ab, mit <Code>403 vorgabe_gesperrt</Code>. Was das Team sperrt, lässt
            sich für Einzelne nicht freigeben.
          </>,
          <>
            What you block here holds for this member alone, on top of what is blocked for the whole team: the API too
            refuses assignments with it, with <Code>403 vorgabe_gesperrt</Code>. What the team blocks can’t be released
            for individual people.
          </>,
        );
  return (
    <Panel>
      <Stack gap="sm">
        <Box maw={420}>
          <MemberChoice
            label={t('Vorgabe für', 'Policy for')}
            placeholder={t('Das ganze Team', 'The whole team')}
            by="id"
            value={member}
            onChange={onChange}
            {...(data && { otherwise: data.email ?? t('Ein Mitglied', 'A member') })}
          />
        </Box>
        <Text size="sm" c="dimmed" maw={760} component="p" m={0}>
          {meaning}
        </Text>
      </Stack>
    </Panel>
  );
};
