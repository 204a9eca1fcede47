import { Group, Stack } from '@mantine/core';
import { useConfirm } from '../../kit/dialog.tsx';
import { useFilters } from '../../kit/filters.tsx';
import { MemberChoice } from '../../kit/members.tsx';
import { Empty, tell } from '../../kit/messages.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { DetailsOff } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { OpenCaseDialog } from './case-dialog.tsx';
import { CaseList } from './case-list.tsx';

const OpenList = () => {
  const t = useText();
  const confirm = useConfirm();
  const { valueOf, set } = useFilters('user_id', 'case_id');
  const [userId, openId] = [valueOf('user_id'), valueOf('case_id')];
  const pages = api.usePages('cases.list', userId === '' ? {} : { user_id: userId });
  const { rows, error, refetch } = pages;
  const names = usePersonNames(rows?.map((row) => row.user_id) ?? []);
  const remove = api.useChange('cases.remove');
  const otherwise = names?.get(userId);
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
          {...(otherwise !== undefined && { otherwise })}
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
                'Cases that members share with the team appear here. Admins and programs with an API key see them. Create a case, or have it created over the API.',
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
              tell(t('Der Fall ist gelöscht.', 'The case is deleted.'));
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

/** The cases that admins and API keys see. */
export const TeamCases = () => {
  const t = useText();
  const { team } = useHere();
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
