import type { CaseJson as Case } from '../../../modules/cases/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { useFilters } from '../../kit/filters.tsx';
import { Empty, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { OpenCaseDialog } from './case-dialog.tsx';
import { CaseList } from './case-list.tsx';

/** What somebody keeps to themselves, until they give it to the team. */
export const OwnCases = () => {
  const t = useText();
  const confirm = useConfirm();
  const { may, team } = useHere();
  const { valueOf, set } = useFilters('case_id');
  const openId = valueOf('case_id');
  const pages = app.usePages('ownCases.list', {});
  const { rows, error, refetch } = pages;
  const remove = app.useChange('ownCases.remove');
  const share = app.useChange('ownCases.share');
  const called = ({ title }: Case): string => title ?? t('Fall ohne Titel', 'Untitled case');
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
            title: t(`„${called(row)}“ mit dem Team teilen?`, `Share “${called(row)}” with the team?`),
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
              tell(t('Der Fall gehört jetzt dem Team.', 'The case now belongs to the team.'));
            },
          })
        }
        onRemove={(row) =>
          confirm({
            title: t(`„${called(row)}“ löschen?`, `Delete “${called(row)}”?`),
            consequences: t(
              'Der Fall wird gelöscht. Das lässt sich nicht rückgängig machen.',
              'The case is deleted. This can’t be undone.',
            ),
            action: t('Fall löschen', 'Delete case'),
            act: async () => {
              await remove.mutateAsync({ case_id: row.id });
              tell(t('Der Fall ist gelöscht.', 'The case is deleted.'));
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
