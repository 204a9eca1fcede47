import { Box, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { namesInBrief } from '../../kit/list/counts.ts';
import { Pending } from '../../kit/page/page.tsx';
import { Hint } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { inParts } from '../../server/parts.ts';
import { client } from '../../server/server.ts';
import { remindedText, remindersQuestion, reminderTexts, remindText } from './figures.ts';
import { previewOf } from './recipients.ts';

/** Reminders of some assignments, as an action on several rows, with the question before it. */
export const reminding = (rows: readonly Pick<GivenAssignment, 'id' | 'member'>[]) => {
  // Assignments of one person follow each other, so that they are in one call if possible, and in one mail.
  const inOrder = rows.toSorted((one, other) => (one.member.member_id < other.member.member_id ? -1 : 1));
  const ids = inOrder.map(({ id }) => id);
  const names = [
    ...new Map(inOrder.map(({ member: { member_id, name, email } }) => [member_id, name ?? email ?? ''])).values(),
  ];
  return {
    title: remindersQuestion(ids.length, names),
    consequences: <Reminders ids={ids} names={names} />,
    action: remindText(names.length),
    harmless: true,
    ids,
    call: (part: string[]) => client.app.assigning.remindMany.mutate({ assignment_ids: part }),
    doneText: remindedText,
  };
};

/** Shows who gets reminders, how many mails there are, and the text of the first one. */
const Reminders = ({ ids, names }: { ids: readonly string[]; names: readonly string[] }) => {
  const query = useQuery({
    queryKey: ['reminders', ids],
    queryFn: async () =>
      previewOf(
        await Promise.all(
          inParts(ids).map((assignment_ids) => client.app.assigning.previewReminders.query({ assignment_ids })),
        ),
      ),
  });
  if (!query.data) return <Pending query={query} height={300} />;
  const { mail, ...reminders } = query.data;
  const texts = [
    ...reminderTexts(reminders),
    t('E-Mails zählen für das Limit pro Tag.', 'Emails count towards the daily limit.'),
  ];
  return (
    <Stack gap="sm">
      {names.length > 1 && <Text size="sm">{namesInBrief(names)}</Text>}
      <List size="sm">
        {texts.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
      {mail && (
        <div>
          <Hint size="xs" mb={4}>
            {t(`E-Mail an ${mail.email}`, `Email to ${mail.email}`)}
            {reminders.mails > 1 && t(', die anderen entsprechend', ', the others accordingly')}
          </Hint>
          <Box
            role="region"
            aria-label={t('Vorschau der E-Mail', 'Preview of the email')}
            lang={mail.language}
            tabIndex={0}
            p="sm"
            mah={320}
            bd="1px solid var(--line)"
            bdrs="md"
            style={{ overflowY: 'auto', overflowWrap: 'anywhere' }}
          >
            <Text size="sm" fw={600} mb="xs">
              {mail.subject}
            </Text>
            <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
              {mail.text}
            </Text>
          </Box>
        </div>
      )}
    </Stack>
  );
};
