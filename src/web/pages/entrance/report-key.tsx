import { Button, Text, TextInput } from '@mantine/core';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { t } from '../../language/language.tsx';
import { client } from '../../server/server.ts';
import { Card } from './card.tsx';

/**
 * For people who have found an API key, for instance in a public repository. The answer is the same for every key, so
 * that it does not reveal whether the key is valid.
 */
export default function ReportKeyPage() {
  const form = useServerForm({
    initial: { key: '' },
    send: ({ key }) => client.entrance.entrance.reportKey.mutate({ key }),
    empties: true, // The key does not stay on the page.
  });
  if (form.sending.isSuccess) {
    return (
      <Card
        title={t('Danke für Ihre Meldung', 'Thank you for your report')}
        lead={t(
          'Wenn der Schlüssel gültig ist, werden Inhaber und Admins seines Teams per E-Mail gewarnt (höchstens einmal am Tag).',
          'If the key is valid, the owner and admins of its team are warned by email (at most once a day).',
        )}
      >
        <Text size="sm">
          {t(
            'Ob er gültig ist, erfahren Sie hier nicht. Bitte verwenden und veröffentlichen Sie ihn nicht.',
            'This page does not say whether it is. Please don’t use or publish it.',
          )}
        </Text>
        <Button size="md" onClick={() => form.sending.reset()}>
          {t('Weiteren Schlüssel melden', 'Report another key')}
        </Button>
      </Card>
    );
  }
  return (
    <Card
      title={t('Gefundenen API-Schlüssel melden', 'Report an API key that you found')}
      lead={t(
        'Haben Sie einen API-Schlüssel dieses Dienstes gefunden, zum Beispiel in einem öffentlichen Repository? Fügen Sie ihn hier ein, dann werden Inhaber und Admins seines Teams gewarnt. Sie entscheiden, wann der Schlüssel ungültig wird.',
        'Have you found an API key of this service, for instance in a public repository? Paste it here, and the owner and admins of its team are warned. They decide when the key ends.',
      )}
    >
      <Form form={form} place="card" action={t('Schlüssel melden', 'Report key')}>
        <TextInput
          label={t('API-Schlüssel', 'API key')}
          description={t(
            'Er beginnt mit svck_live_. Sie können die ganze Zeile einfügen.',
            'It begins with svck_live_. You can paste the whole line.',
          )}
          name="key"
          autoComplete="off"
          spellCheck={false}
          required
          {...form.getInputProps('key')}
        />
      </Form>
    </Card>
  );
}
