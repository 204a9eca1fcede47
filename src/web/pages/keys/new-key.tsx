import {
  Button,
  Code,
  Group,
  List,
  Modal,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { useBlocker } from 'react-router';
import type { Key } from '../../../modules/keys/schema.ts';
import type { ScopeReference } from '../../../modules/reference/schema.ts';
import { Copy, ShownOnce } from '../../kit/copy.tsx';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { ScopeChoice } from './scopes.tsx';
import type { Allowance } from './scopes.tsx';

interface NewKeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onMade: (key: Shown) => void;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type FormProps = Omit<NewKeyDialogProps, 'opened'> & { reference: ScopeReference };

const NewKeyForm = ({ reference, onClose, onMade }: FormProps) => {
  const t = useText();
  const limits = app.useAnswer('reference.limits', {}).data;
  const create = app.useChange('keys.create');
  const [name, setName] = useState('');
  const [allowance, setAllowance] = useState<Allowance>({
    template: reference.templates[0]?.template,
    scopes: reference.templates[0]?.scopes ?? [],
  });
  const [addresses, setAddresses] = useState('');
  const [ending, setEnding] = useState<Ending>({ after: 'never', date: '' });
  const [lacksScopes, setLacksScopes] = useState(false);
  const flaws = flawsByField(problemOf(create.error));
  const isTold = ['name', 'scopes', 'allowed_ips', 'expires_at'].some((field) => flaws[field] !== undefined);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { template, scopes } = allowance;
    setLacksScopes(scopes.length === 0);
    const expiresAt = momentOf(ending);
    if (scopes.length === 0 || expiresAt === undefined) return;
    create.mutate(
      {
        name,
        ...(template === undefined ? { scopes: [...scopes] } : { template }),
        allowed_ips: linesOf(addresses),
        expires_at: expiresAt?.toISOString() ?? null,
      },
      { onSuccess: ({ key_id, key }) => onMade({ keyId: key_id, key }) },
    );
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          label={t('Name', 'Name')}
          description={t(
            'Woran Sie ihn wiedererkennen, zum Beispiel das Programm, das ihn benutzt.',
            'A name that you will recognize, for instance the program that uses the key.',
          )}
          placeholder={t('CRM-Abgleich', 'CRM sync')}
          required
          data-autofocus
          maxLength={limits?.key_name_characters}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={flaws['name'] && t('Dieser Name geht nicht.', 'This name won’t do.')}
        />
        <ScopeChoice
          reference={reference}
          value={allowance}
          onChange={setAllowance}
          error={
            (lacksScopes && allowance.scopes.length === 0) || flaws['scopes'] !== undefined
              ? t('Wählen Sie mindestens eine Berechtigung.', 'Choose at least one scope.')
              : undefined
          }
        />
        <Textarea
          label={t('Erlaubte IP-Adressen', 'Allowed IP addresses')}
          description={t(
            'Eine Adresse oder ein Netz je Zeile. Von anderen Adressen wird der Schlüssel abgelehnt (401). Leer: alle Adressen.',
            'One address or network per line. From other addresses the key is refused (401). Empty: all addresses.',
          )}
          placeholder={'203.0.113.7\n2001:db8:12::/48'}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={addresses}
          onChange={(event) => setAddresses(event.currentTarget.value)}
          error={
            flaws['allowed_ips'] && (
              <>
                {t('Eine Zeile ist keine Adresse und kein Netz.', 'A line is neither an address nor a network.')}{' '}
                <span lang="en">{flaws['allowed_ips']}</span>
              </>
            )
          }
        />
        <ExpiryChoice
          value={ending}
          onChange={setEnding}
          error={flaws['expires_at'] && t('Dieser Tag ist schon vorbei.', 'That day is over.')}
        />
        {!isTold && <ProblemAlert error={create.error} />}
        <DialogButtons action={t('Schlüssel anlegen', 'Make the key')} running={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
};

/** What a new key is called and may do, from where and how long. */
export const NewKeyDialog = ({ opened, onClose, onMade }: NewKeyDialogProps) => {
  const t = useText();
  const { data: reference, error, refetch } = app.useAnswer('reference.scopes', {});
  return (
    <Dialog title={t('Neuer API-Schlüssel', 'New API key')} opened={opened} onClose={onClose} size="xl">
      {reference && <NewKeyForm reference={reference} onClose={onClose} onMade={onMade} />}
      {!reference && !error && <Skeleton height={320} role="status" aria-label={t('Wird geladen', 'Loading')} />}
      {!reference && <ProblemAlert error={error} retry={() => void refetch()} />}
    </Dialog>
  );
};

/** When a key ends: never, so many days from now, or with a day. */
interface Ending {
  after: 'never' | '30' | '90' | '365' | 'date';
  date: string;
}

const choices = ['never', '30', '90', '365', 'date'] as const satisfies readonly Ending['after'][];

/** The last moment of a day where the reader is. */
const endOf = (date: string): Date => new Date(`${date}T23:59:59.999`);

/** When exactly; null for never, undefined while no day was chosen. */
const momentOf = ({ after, date }: Ending): Date | null | undefined => {
  if (after === 'never') return null;
  if (after === 'date') return date === '' ? undefined : endOf(date);
  const moment = new Date();
  moment.setDate(moment.getDate() + Number(after));
  return moment;
};

interface ExpiryChoiceProps {
  value: Ending;
  onChange: (value: Ending) => void;
  error?: string | undefined;
}

const ExpiryChoice = ({ value, onChange, error }: ExpiryChoiceProps) => {
  const t = useText();
  const locale = useLocale();
  const words: Record<Ending['after'], string> = {
    never: t('Nie', 'Never'),
    '30': t('Nach 30 Tagen', 'After 30 days'),
    '90': t('Nach 90 Tagen', 'After 90 days'),
    '365': t('Nach einem Jahr', 'After a year'),
    date: t('An einem bestimmten Tag', 'On a certain day'),
  };
  const moment = momentOf(value);
  const told = moment?.toLocaleDateString(locale, { dateStyle: 'long' });
  const hint =
    told === undefined
      ? t('Er gilt, bis Sie ihn widerrufen oder ablösen.', 'It works until you revoke or replace it.')
      : t(`Er gilt bis zum ${told}.`, `It works until ${told}.`);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        label={t('Läuft ab', 'Expires')}
        value={value.after}
        onChange={(event) =>
          onChange({ ...value, after: choices.find((choice) => choice === event.currentTarget.value) ?? 'never' })
        }
        data={choices.map((choice) => ({ value: choice, label: words[choice] }))}
        {...(value.after === 'date'
          ? {}
          : { description: hint, error, inputWrapperOrder: ['label', 'input', 'description', 'error'] })}
      />
      {value.after === 'date' && (
        <TextInput
          type="date"
          label={t('Letzter Tag', 'Last day')}
          required
          min={new Date().toLocaleDateString('sv-SE')}
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </SimpleGrid>
  );
};

interface RotateDialogProps {
  of: Key;
  opened: boolean;
  onClose: () => void;
  onRotated: (key: Shown) => void;
}

const dayLength = 86_400_000;
const usualGrace = 7;

/** What becomes of the old key, as the grace period is chosen. */
const useFate = (of: Key, grace: number | string): string => {
  const t = useText();
  const locale = useLocale();
  if (typeof grace === 'string') return '';
  if (grace === 0) {
    return t(
      'Der alte Schlüssel endet sofort: bis der neue eingetragen ist, bekommt Ihr Programm 401.',
      'The old key ends at once: until the new one is in place, your program gets 401.',
    );
  }
  const graceEnds = Date.now() + grace * dayLength;
  const ends = of.expires_at === null ? graceEnds : Math.min(graceEnds, Date.parse(of.expires_at));
  const told = new Date(ends).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return ends < graceEnds
    ? t(
        `Der alte Schlüssel gilt bis zu seinem eigenen Ablauf am ${told}. Bis dahin gelten beide.`,
        `The old key works until its own expiry on ${told}. Until then both work.`,
      )
    : t(
        `Der alte Schlüssel gilt noch bis ${told}. Bis dahin gelten beide.`,
        `The old key works until ${told}. Until then both work.`,
      );
};

const RotateForm = ({ of, onClose, onRotated }: Omit<RotateDialogProps, 'opened'>) => {
  const t = useText();
  const most = app.useAnswer('reference.limits', {}).data?.key_grace_days;
  const rotate = app.useChange('keys.rotate');
  /** Text while nothing that is a number stands in the field. */
  const [grace, setGrace] = useState<number | string>(usualGrace);
  const fate = useFate(of, grace);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof grace === 'string') return;
    rotate.mutate(
      { key_id: of.key_id, grace_days: grace },
      { onSuccess: ({ key_id, key }) => onRotated({ keyId: key_id, key }) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <List size="sm" spacing={4}>
          <List.Item>
            {t(
              'Der neue Schlüssel hat dieselben Berechtigungen, erlaubten Adressen und denselben Ablauftag.',
              'The new key has the same scopes, allowed addresses and expiry day.',
            )}
          </List.Item>
          <List.Item>
            {t(
              'Sie sehen ihn einmal und tragen ihn überall ein, wo der alte steht.',
              'You see it once and put it wherever the old one is.',
            )}
          </List.Item>
        </List>
        <NumberInput
          label={t('Wie viele Tage der alte noch gilt', 'Days that the old one still works')}
          description={most !== undefined && t(`0 bis ${most} Tage`, `0 to ${most} days`)}
          min={0}
          {...(most !== undefined && { max: most })}
          clampBehavior="strict"
          allowDecimal={false}
          required
          data-autofocus
          value={grace}
          onChange={setGrace}
        />
        <Text size="sm" role="status">
          {fate}
        </Text>
        <ProblemAlert error={rotate.error} />
        <DialogButtons
          action={t('Neuen Schlüssel anlegen', 'Make the new key')}
          running={rotate.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Replaces a key by a new one. */
export const RotateDialog = ({ opened, ...props }: RotateDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={t(`„${props.of.name}“ ablösen`, `Replace “${props.of.name}”`)}
      opened={opened}
      onClose={props.onClose}
    >
      <RotateForm {...props} />
    </Dialog>
  );
};

/** A key as it is told this once. */
export interface Shown {
  keyId: string;
  key: string;
}

const whyOf = (event: BeforeUnloadEvent) => event.preventDefault();

const Kept = ({ shown, onKept }: { shown: Shown; onKept: (shown: Shown) => void }) => {
  const t = useText();
  const isKept = useRef(false);
  // Gone back or reloaded, it would be lost.
  const blocker = useBlocker(() => !isKept.current);
  useEffect(() => {
    if (blocker.state === 'blocked') blocker.reset();
  }, [blocker]);
  useEffect(() => {
    window.addEventListener('beforeunload', whyOf);
    return () => window.removeEventListener('beforeunload', whyOf);
  }, []);
  const line = `curl -H "Authorization: Bearer ${shown.key}" ${location.origin}/api/public/v1/me`;
  return (
    <ShownOnce value={shown.key} what={t('den Schlüssel', 'the key')}>
      <Stack gap={6}>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" fw={600}>
            {t('Gleich ausprobieren', 'Try it now')}
          </Text>
          <Copy value={line} what={t('Befehl', 'command')} />
        </Group>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {line}
        </Code>
        <Text size="xs" c="dimmed">
          {t(
            'Die Antwort nennt Ihr Team und was der Schlüssel darf. Der Schlüssel gehört auf einen Server, nie in eine Webseite oder App.',
            'The answer names your team and what the key may do. A key belongs on a server, never in a web page or an app.',
          )}
        </Text>
      </Stack>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            isKept.current = true;
            onKept(shown);
          }}
        >
          {t('Ich habe ihn aufbewahrt', 'I have kept it')}
        </Button>
      </Group>
    </ShownOnce>
  );
};

interface KeptKeyDialogProps {
  title: string;
  shown: Shown | undefined;
  onKept: (shown: Shown) => void;
}

/** Shows a new key, and stays until whoever made it says that they have it. */
export const KeptKeyDialog = ({ title, shown, onKept }: KeptKeyDialogProps) => (
  <Modal
    opened={shown !== undefined}
    onClose={() => undefined}
    title={title}
    size="lg"
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
  >
    {shown && <Kept shown={shown} onKept={onKept} />}
  </Modal>
);
