import { Anchor, Button, Group, Menu, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShare, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { useFilters } from '../../kit/filters.tsx';
import { Time } from '../../kit/formats.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { Empty, notify } from '../../kit/messages.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { DetailsOff, Page } from '../../kit/page.tsx';
import { DataTable, RowActions } from '../../kit/table.tsx';
import type { Column, MorePages } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { NewCaseDialog, OpenCaseDialog } from './case-dialog.tsx';

export default function CasesPage() {
  const t = useText();
  const { may } = useSignedIn();
  const { valueOf, set } = useFilters('view');
  const [creating, { open, close }] = useDisclosure();
  const shelf = may('admin') && valueOf('view') !== 'mine' ? 'team' : 'own';
  return (
    <Page
      title={t('Fälle', 'Cases')}
      lead={t(
        'Echte Gespräche als Vorlage zum Üben: mit wem, worum es geht und woran es hängt.',
        'Real conversations to practise with: with whom, what it is about and where it is stuck.',
      )}
      actions={<Button onClick={open}>{t('Neuer Fall', 'New case')}</Button>}
    >
      {may('admin') ? (
        <Tabs value={shelf} onChange={(view) => set('view', view === 'own' ? 'mine' : null)} keepMounted={false}>
          <Tabs.List aria-label={t('Wessen Fälle', 'Whose cases')} mb="md">
            <Tabs.Tab value="team">{t('Im Team', 'In the team')}</Tabs.Tab>
            <Tabs.Tab value="own">{t('Nur für mich', 'Only for me')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="team">
            <TeamCases />
          </Tabs.Panel>
          <Tabs.Panel value="own">
            <OwnCases />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <OwnCases />
      )}
      <NewCaseDialog shelf={shelf} opened={creating} onClose={close} />
    </Page>
  );
}

/** The reader's private cases, until they share them with the team. */
const OwnCases = () => {
  const t = useText();
  const confirm = useConfirm();
  const { may, team } = useSignedIn();
  const { valueOf, set } = useFilters('case_id');
  const openId = valueOf('case_id');
  const pages = app.usePages('ownCases.list', {});
  const { rows, error, refetch } = pages;
  const remove = app.useMutation('ownCases.remove');
  const share = app.useMutation('ownCases.share');
  const titleOf = ({ title }: Case): string => title ?? t('Fall ohne Titel', 'Untitled case');
  return (
    <>
      <CaseList
        label={t('Fälle nur für Sie', 'Cases only for you')}
        rows={rows}
        error={error}
        retry={() => void refetch()}
        more={pages}
        empty={
          <Empty title={t('Noch keine eigenen Fälle', 'No cases of your own yet')}>
            {t(
              'Legen Sie einen Fall aus Ihrem Alltag an. Nur Sie sehen ihn, auch Admins nicht, bis Sie ihn mit dem Team teilen.',
              'Create a case from your own work. Only you see it, not even admins, until you share it with the team.',
            )}
          </Empty>
        }
        onShare={(row) =>
          confirm({
            title: t(`„${titleOf(row)}“ mit dem Team teilen?`, `Share “${titleOf(row)}” with the team?`),
            consequences: (
              <>
                {t(
                  'Admins und Programme mit einem API-Schlüssel sehen ihn dann, auch dass er von Ihnen ist. ',
                  'Admins and programs with an API key then see it, also that it is yours. ',
                )}
                {may('admin') && team.privacy.member_detail
                  ? t(
                      'Er erscheint dann unter „Im Team“; zurückholen können Sie ihn nicht.',
                      'It then appears under “In the team”; you can’t take it back.',
                    )
                  : t(
                      'Sie selbst sehen ihn danach nicht mehr und können ihn nicht zurückholen.',
                      'You no longer see it yourself afterwards, and can’t take it back.',
                    )}
              </>
            ),
            action: t('Mit dem Team teilen', 'Share with the team'),
            harmless: true,
            act: async () => {
              await share.mutateAsync({ case_id: row.id });
              notify(t('Der Fall gehört jetzt dem Team.', 'The case now belongs to the team.'));
            },
          })
        }
        onRemove={(row) =>
          confirm({
            title: t(`„${titleOf(row)}“ löschen?`, `Delete “${titleOf(row)}”?`),
            consequences: t(
              'Der Fall wird gelöscht. Das lässt sich nicht rückgängig machen.',
              'The case is deleted. This can’t be undone.',
            ),
            action: t('Fall löschen', 'Delete case'),
            act: async () => {
              await remove.mutateAsync({ case_id: row.id });
              notify(t('Der Fall ist gelöscht.', 'The case is deleted.'));
            },
          })
        }
      />
      <OpenCaseDialog
        shelf="own"
        id={openId}
        row={rows?.find(({ id }) => id === openId)}
        onClose={() => set('case_id', null)}
      />
    </>
  );
};

const OpenList = () => {
  const t = useText();
  const confirm = useConfirm();
  const { valueOf, set } = useFilters('user_id', 'case_id');
  const [userId, openId] = [valueOf('user_id'), valueOf('case_id')];
  const pages = api.usePages('cases.list', userId === '' ? {} : { user_id: userId });
  const { rows, error, refetch } = pages;
  const names = usePersonNames(rows?.map((row) => row.user_id) ?? []);
  const remove = api.useMutation('cases.remove');
  const fallbackName = names?.get(userId);
  return (
    <Stack gap="md">
      <Group>
        <MemberChoice
          label={t('Wessen Fälle', 'Whose cases')}
          placeholder={t('Alle', 'All')}
          by="user_id"
          status="active"
          value={userId}
          onChange={(id) => set('user_id', id)}
          {...(fallbackName !== undefined && { fallbackName })}
        />
      </Group>
      <CaseList
        label={t('Fälle des Teams', 'Cases of the team')}
        rows={rows}
        error={error}
        retry={() => void refetch()}
        more={pages}
        ownerOf={(row) => names?.get(row.user_id) ?? '—'}
        empty={
          userId === '' ? (
            <Empty title={t('Noch keine Fälle im Team', 'No cases in the team yet')}>
              {t(
                'Hier erscheinen Fälle, die Mitglieder mit dem Team teilen. Admins und Programme mit einem API-Schlüssel sehen sie. Legen Sie einen Fall an, oder lassen Sie ihn über die API anlegen.',
                'Cases that members share with the team appear here. Admins and programs with an API key see them. Create a case, or have it created through the API.',
              )}
            </Empty>
          ) : (
            <Empty title={t('Von diesem Mitglied gibt es keinen Fall', 'There is no case of this member')} />
          )
        }
        onRemove={({ id, title }) =>
          confirm({
            title: title === null ? t('Fall löschen?', 'Delete case?') : t(`„${title}“ löschen?`, `Delete “${title}”?`),
            consequences: t(
              'Der Fall wird für alle im Team und in der API gelöscht. Das lässt sich nicht rückgängig machen.',
              'The case is deleted for everybody in the team and in the API. This can’t be undone.',
            ),
            action: t('Fall löschen', 'Delete case'),
            act: async () => {
              await remove.mutateAsync({ case_id: id });
              notify(t('Der Fall ist gelöscht.', 'The case is deleted.'));
            },
          })
        }
      />
      <OpenCaseDialog
        shelf="team"
        id={openId}
        row={rows?.find(({ id }) => id === openId)}
        onClose={() => set('case_id', null)}
      />
    </Stack>
  );
};

/** The team's cases, which admins and API keys see. */
const TeamCases = () => {
  const t = useText();
  const { team } = useSignedIn();
  if (team.privacy.member_detail) return <OpenList />;
  return (
    <DetailsOff title={t('Diese Liste ist nicht verfügbar', 'This list is not available')}>
      {t(
        'Neue Fälle anlegen können Sie weiterhin, und Ihre eigenen finden Sie auf dem anderen Tab.',
        'You can still create cases, and your own are on the other tab.',
      )}
    </DetailsOff>
  );
};

const CaseLink = ({ row: { id, title } }: { row: Case }) => {
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A case's fields in two lines. */
const FieldsInBrief = ({ row: { fields } }: { row: Case }) => {
  const entries = Object.entries(fields ?? {});
  if (entries.length === 0) return null;
  const parts = Array.isArray(fields) ? fields.map(textOf) : entries.map(([key, value]) => `${key}: ${textOf(value)}`);
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
  more: MorePages;
  /** Whose case it is, in a list of several people's cases. */
  ownerOf?: (row: Case) => ReactNode;
  onShare?: (row: Case) => void;
  onRemove: (row: Case) => void;
}

const CaseList = ({ ownerOf, onShare, onRemove, ...list }: CaseListProps) => {
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
              <CaseLink row={row} />
              <FieldsInBrief row={row} />
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
            <RowActions name={row.title ?? t('Fall ohne Titel', 'Untitled case')}>
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
