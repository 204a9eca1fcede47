import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconShare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { DialogLink } from '../../kit/dialog/dialog.tsx';
import { Lines } from '../../kit/text/cut.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { given, useFilters } from '../../kit/list/filters.tsx';
import { Name, usePersonNames } from '../../kit/names/names.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { DetailsOff, Page } from '../../kit/page/page.tsx';
import { RemovalItem, RowActions } from '../../kit/list/row-actions.tsx';
import { DataTable, type Column, type DataTableProps } from '../../kit/list/table.tsx';
import { ViewTabs } from '../../kit/page/view-tabs.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client, nextPage, usePages } from '../../server/server.ts';
import { leads, seesOthers } from '../../session/may.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { NewCaseDialog, OpenCaseDialog } from './case-dialog.tsx';
import { fieldsInBrief } from './readable.tsx';
import { shelfOf } from './rights.ts';
import { afterSharing } from './sharing-words.ts';

export default function CasesPage() {
  const { may } = useSignedIn();
  const { valueOf } = useFilters('view');
  const [creating, { open, close }] = useDisclosure();
  const shelf = shelfOf(valueOf('view'), may);
  return (
    <Page
      title={t('Fälle', 'Cases')}
      lead={t(
        'Kundensituationen aus der Praxis als Grundlage für Trainings.',
        'Real customer situations to train with.',
      )}
      actions={<CreateButton label={t('Neuer Fall', 'New case')} onClick={open} />}
    >
      <WaitingDrafts of={[{ name: 'new case', what: t('Neuer Fall', 'New case'), open }]} />
      {leads(may) ? (
        <ViewTabs
          label={t('Ansicht der Fälle', 'Cases view')}
          views={[
            { value: 'team', label: t('Team', 'Team'), content: <TeamCases /> },
            { value: 'mine', label: t('Privat', 'Private'), content: <OwnCases /> },
          ]}
        />
      ) : (
        <OwnCases />
      )}
      <NewCaseDialog shelf={shelf} opened={creating} onClose={close} />
    </Page>
  );
}

/** The reader's private cases. They stay private until the reader shares them with the team. */
const OwnCases = () => {
  const confirm = useConfirm();
  const { may, team } = useSignedIn();
  const pages = usePages(app.ownCases.list.infiniteQueryOptions({}, nextPage));
  return (
    <CaseList
      shelf="own"
      label={t('Private Fälle', 'Private cases')}
      csv={{ read: (page) => client.app.ownCases.list.query(page), userOf }}
      list={pages}
      none={t('Noch keine privaten Fälle', 'No private cases yet')}
      hint={t(
        'Private Fälle sehen nur Sie, auch Admins nicht. Sie können einen Fall später mit dem Team teilen.',
        'Only you can see private cases, not even admins. You can share a case with the team later.',
      )}
      onShare={(row) =>
        confirm({
          title: t(`„${titleOf(row)}“ mit dem Team teilen?`, `Share “${titleOf(row)}” with the team?`),
          consequences: (
            <>
              {t(
                'Admins und API-Clients sehen den Fall dann mit Ihrem Namen. ',
                'Admins and API clients will see the case with your name. ',
              )}
              {afterSharing(seesOthers(may, team.privacy))}
            </>
          ),
          action: t('Mit dem Team teilen', 'Share with the team'),
          harmless: true,
          act: () => client.app.ownCases.share.mutate({ case_id: row.id }),
          done: t('Fall mit dem Team geteilt.', 'Case shared with the team.'),
        })
      }
      removal={{
        consequences: t('Das kann nicht rückgängig gemacht werden.', 'This can’t be undone.'),
        act: (case_id) => client.app.ownCases.remove.mutate({ case_id }),
      }}
    />
  );
};

const OpenList = () => {
  const filters = useFilters('user_id');
  const query = { user_id: given(filters.valueOf('user_id')) };
  const pages = usePages(api.cases.list.infiniteQueryOptions(query, nextPage));
  const { data: count } = useQuery(app.teamCases.count.queryOptions(query));
  const names = usePersonNames(pages.rows?.map((row) => row.user_id) ?? []);
  return (
    <FilterBar
      list="cases"
      filters={filters}
      rows={pages.rows}
      fields={[
        {
          kind: 'member',
          name: 'user_id',
          label: t('Mitglied', 'Member'),
          by: 'user_id',
          status: 'active',
          former: true,
        },
      ]}
    >
      <CaseList
        shelf="team"
        label={t('Fälle des Teams', 'Team cases')}
        csv={{ read: (page) => client.api.cases.list.query({ ...query, ...page }), userOf }}
        list={pages}
        count={count}
        ownerOf={(row) => <Name id={row.user_id} names={names} unknown="–" />}
        filters={{ ...filters, what: t('Fälle', 'cases') }}
        none={t('Noch keine Team-Fälle', 'No team cases yet')}
        hint={t(
          'Hier erscheinen Fälle, die Mitglieder mit dem Team teilen oder die über die API angelegt werden. Sie sind für Admins und API-Clients sichtbar.',
          'Cases that members share with the team or that are created through the API appear here. Admins and API clients can see them.',
        )}
        removal={{
          consequences: t(
            'Der Fall wird für das ganze Team und in der API gelöscht. Das kann nicht rückgängig gemacht werden.',
            'The case will be deleted for the whole team and in the API. This can’t be undone.',
          ),
          act: (case_id) => client.api.cases.remove.mutate({ case_id }),
        }}
      />
    </FilterBar>
  );
};

const TeamCases = () => {
  const { team } = useSignedIn();
  if (team.privacy.member_detail) return <OpenList />;
  return (
    <DetailsOff title={t('Wegen Datenschutz nicht verfügbar', 'Unavailable: member-level data is hidden')}>
      {t(
        'Sie können weiterhin Fälle anlegen. Ihre eigenen Fälle finden Sie unter „Privat“.',
        'You can still create cases. Your own cases are under “Private”.',
      )}
    </DetailsOff>
  );
};

const userOf = ({ user_id }: Case): string => user_id;

interface CaseListProps extends Pick<
  DataTableProps<Case>,
  'label' | 'list' | 'count' | 'none' | 'hint' | 'filters' | 'csv'
> {
  shelf: 'own' | 'team';
  /** The member of the case, in a list of several people's cases. */
  ownerOf?: (row: Case) => ReactNode;
  onShare?: (row: Case) => void;
  removal: { consequences: string; act: (id: string) => Promise<unknown> };
}

const titleOf = ({ title }: Case): string => title ?? t('Fall ohne Titel', 'Untitled case');

/** A list of cases. The address says which of them is open. */
const CaseList = ({ shelf, ownerOf, onShare, removal, ...list }: CaseListProps) => {
  const confirm = useConfirm();
  const { valueOf, set } = useFilters('case_id');
  const openId = valueOf('case_id');
  const confirmRemoval = (row: Case): void =>
    confirm({
      title: t(`„${titleOf(row)}“ löschen?`, `Delete “${titleOf(row)}”?`),
      consequences: removal.consequences,
      action: t('Fall löschen', 'Delete case'),
      act: () => removal.act(row.id),
      done: t('Fall gelöscht.', 'Case deleted.'),
    });
  const owner: Column<Case> = {
    label: t('Mitglied', 'Member'),
    value: ({ user_id }, names) => names?.get(user_id),
    ...(ownerOf && { cell: ownerOf }),
  };
  return (
    <>
      <DataTable
        {...list}
        keyOf={({ id }) => id}
        columns={[
          { label: t('Fall-ID', 'Case ID'), value: ({ id }) => id },
          {
            label: t('Fall', 'Case'),
            name: 'title',
            value: ({ title }) => title,
            cell: (row) => (
              <Lines below={fieldsInBrief(row.fields)}>
                <DialogLink name="case_id" id={row.id}>
                  {titleOf(row)}
                </DialogLink>
              </Lines>
            ),
          },
          owner,
          {
            label: t('Persona', 'Persona'),
            priority: 1,
            name: 'persona_id',
            value: ({ persona_id }) => persona_id,
            cell: 'text',
          },
          { label: t('Felder (JSON)', 'Fields (JSON)'), value: ({ fields }) => fields && JSON.stringify(fields) },
          {
            label: t('Externe Referenz (JSON)', 'External reference (JSON)'),
            value: ({ external_ref: ref }) => ref && JSON.stringify(ref),
          },
          { label: t('Angelegt', 'Created'), name: 'created', value: ({ created_at }) => created_at, cell: 'time' },
        ]}
        actions={(row) => (
          <RowActions name={titleOf(row)}>
            {onShare && (
              <Menu.Item leftSection={<IconShare size={16} aria-hidden />} onClick={() => onShare(row)}>
                {t('Mit dem Team teilen …', 'Share with the team …')}
              </Menu.Item>
            )}
            <RemovalItem onClick={() => confirmRemoval(row)}>{t('Löschen …', 'Delete …')}</RemovalItem>
          </RowActions>
        )}
      />
      <OpenCaseDialog
        shelf={shelf}
        id={openId}
        row={list.list.rows?.find(({ id }) => id === openId)}
        onClose={() => set('case_id', null)}
      />
    </>
  );
};
