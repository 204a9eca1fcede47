import { Anchor, Menu, Stack, Text } from '@mantine/core';
import { IconShare, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { Time } from '../../kit/formats.tsx';
import { DataTable, RowActions } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';

const CaseLink = ({ of: { id, title } }: { of: Case }) => {
  const t = useText();
  const [params] = useSearchParams();
  const next = new URLSearchParams(params);
  next.set('case_id', id);
  return (
    <Anchor component={Link} to={`?${next}`} underline="hover" fw={550} inherit>
      {title ?? t('Fall ohne Titel', 'Untitled case')}
    </Anchor>
  );
};

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The first of its fields, as much as a line holds. */
const FieldsInBrief = ({ of: { fields } }: { of: Case }) => {
  const entries = Object.entries(fields ?? {});
  if (entries.length === 0) return null;
  const parts = Array.isArray(fields) ? fields.map(said) : entries.map(([key, value]) => `${key}: ${said(value)}`);
  return (
    <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
      {parts.join(' · ')}
    </Text>
  );
};

interface CaseListProps {
  label: string;
  rows: readonly Case[] | undefined;
  empty: ReactNode;
  error: unknown;
  retry: () => void;
  more: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** Whose a case is, where that is not always the reader. */
  ownerOf?: (row: Case) => ReactNode;
  onShare?: (row: Case) => void;
  onRemove: (row: Case) => void;
}

export const CaseList = ({ ownerOf, onShare, onRemove, ...list }: CaseListProps) => {
  const t = useText();
  const owner: Column<Case>[] = ownerOf ? [{ label: t('Von', 'Of'), cell: ownerOf }] : [];
  return (
    <DataTable
      {...list}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('Fall', 'Case'),
          cell: (row) => (
            <Stack gap={0}>
              <CaseLink of={row} />
              <FieldsInBrief of={row} />
            </Stack>
          ),
        },
        ...owner,
        { label: t('Persona', 'Persona'), cell: ({ persona_id }) => persona_id ?? '—' },
        {
          label: t('Angelegt', 'Created'),
          cell: ({ created_at }) => (created_at === null ? '—' : <Time at={created_at} />),
        },
        {
          label: '',
          align: 'end',
          cell: (row) => (
            <RowActions of={row.title ?? t('Fall ohne Titel', 'Untitled case')}>
              {onShare && (
                <Menu.Item leftSection={<IconShare size={16} aria-hidden />} onClick={() => onShare(row)}>
                  {t('Mit dem Team teilen …', 'Share with the team …')}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => onRemove(row)}>
                {t('Löschen …', 'Delete …')}
              </Menu.Item>
            </RowActions>
          ),
        },
      ]}
    />
  );
};
