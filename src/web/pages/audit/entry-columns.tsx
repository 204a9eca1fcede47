import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ExactTime, Time } from '../../kit/formats.tsx';
import type { Column } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { targetTypes, useActorWords, useTargetWords } from './audit-words.ts';
import type { AuditEntry } from './audit-words.ts';
import { actorPage, targetPage } from './entry-pages.ts';

const Named = ({ kind, name, page }: { kind: string; name: string | null; page: string | undefined }) => {
  const shown = name ?? kind;
  return (
    <div>
      {page === undefined ? (
        <Text size="sm">{shown}</Text>
      ) : (
        <Anchor component={Link} to={page} size="sm">
          {shown}
        </Anchor>
      )}
      {name !== null && (
        <Text size="xs" c="dimmed">
          {kind}
        </Text>
      )}
    </div>
  );
};

/** What the log tells of each thing that was done. */
export const useEntryColumns = (labelOf: (action: string) => string): readonly Column<AuditEntry>[] => {
  const t = useText();
  const { team } = useHere();
  const actorWords = useActorWords();
  const targetWords = useTargetWords();
  const typeOf = (type: string): string => {
    const known = targetTypes.find((one) => one === type);
    return known === undefined ? type : targetWords[known];
  };
  return [
    {
      label: t('Was', 'What'),
      cell: ({ action }) => (
        <Text size="sm" fw={600}>
          {labelOf(action)}
        </Text>
      ),
    },
    {
      label: t('Woran', 'Done to'),
      cell: (entry) => (
        <Named
          kind={typeOf(entry.target.type)}
          name={entry.target.name}
          page={targetPage(entry, team.privacy.member_detail)}
        />
      ),
    },
    {
      label: t('Wer', 'Who'),
      cell: (entry) => <Named kind={actorWords[entry.actor.kind]} name={entry.actor.name} page={actorPage(entry)} />,
    },
    {
      label: t('Wann', 'When'),
      cell: ({ created_at }) => (
        <div style={{ whiteSpace: 'nowrap' }}>
          <Text size="sm">
            <Time at={created_at} />
          </Text>
          <Text size="xs" c="dimmed">
            <ExactTime at={created_at} />
          </Text>
        </div>
      ),
    },
  ];
};
