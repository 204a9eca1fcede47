import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Hint } from '../../kit/text/text.tsx';
import { doneText } from '../../kit/list/counts.ts';
import { Cut } from '../../kit/text/cut.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import {
  languageOf,
  reviewInvitations,
  roleOf,
  type InvitationList,
  type Invitee,
  type KnownAddresses,
  type InvitationLine,
  type ReviewedLine,
  type WrittenInvitee,
} from './invitation-list.ts';
import { inviteText, moreLinesText, reviewTexts } from './figures.ts';
import { errorTexts, isCorrectable, isNoMistake, languageName } from './invitation-words.ts';
import { InvitationsLeft } from './invite-one.tsx';

/** How many lines or people are listed. The others are only counted. */
export const maxLines = 200;

interface InvitationReviewProps {
  list: InvitationList;
  knownAtFirst: KnownAddresses;
  /** Looks up whether the person of a corrected line is already in the team. */
  lookUp: (line: WrittenInvitee) => Promise<KnownAddresses>;
  max: number;
  isSending: boolean;
  /** How many invitations were sent so far. */
  done: number;
  error: unknown;
  onBack: (lines: readonly InvitationLine[]) => void;
  /** `left`: the lines that still have a mistake. */
  onSend: (people: Invitee[], left: readonly ReviewedLine[]) => void;
}

/**
 * Shows the lines that are left out, with the reason. Lines whose invitations will be sent are below them, folded.
 * Mistakes come first, and can be corrected in place.
 */
export const InvitationReview = ({
  list: { lines: linesAtFirst, ignored },
  knownAtFirst,
  lookUp,
  max,
  isSending,
  done,
  error,
  onBack,
  onSend,
}: InvitationReviewProps) => {
  const [lines, setLines] = useState(linesAtFirst);
  const [known, setKnown] = useState(knownAtFirst);
  const reviewed = reviewInvitations(lines, max, known);
  // The lines with mistakes keep their fields while they are corrected.
  const [correctable] = useState(() => new Set(reviewed.filter(isCorrectable).map(({ place }) => place)));
  const people = reviewed.flatMap(({ invitee }) => invitee ?? []);
  const ready = reviewed.filter(({ place, error: flaw }) => flaw === undefined && !correctable.has(place));
  const exceptions = [
    ...reviewed.filter(({ place }) => correctable.has(place)),
    ...reviewed.filter(({ place, error: flaw }) => flaw !== undefined && !correctable.has(place)),
  ];
  const change = (place: number, changed: Partial<WrittenInvitee>): void =>
    setLines(lines.map((line) => (line.place === place ? { ...line, ...changed } : line)));
  const addKnown = async (line: WrittenInvitee): Promise<void> => {
    const found = await lookUp(line);
    setKnown((before) => new Map([...before, ...found]));
  };
  const errorText = errorTexts(max);
  const lineName = ({ place }: InvitationLine): string => t(`Zeile ${place}`, `Line ${place}`);
  return (
    <>
      <ReviewSummary reviewed={reviewed} ignored={ignored} />
      <InvitationsLeft wanted={people.length} />
      {(exceptions.length > 0 || ready.length === 0) && (
        <DataTable
          label={t('Vorschau', 'Preview')}
          list={{ rows: exceptions.slice(0, maxLines) }}
          keyOf={({ place }) => String(place)}
          columns={[
            {
              label: t('E-Mail und Ergebnis', 'Email and result'),
              cell: (line) => (
                <Stack gap={4} align="flex-start">
                  {correctable.has(line.place) ? (
                    <LineFields
                      line={line}
                      first={line === exceptions[0]}
                      onChange={(changed) => change(line.place, changed)}
                      // The person may correct an address into one that is already in the team. If the look-up fails,
                      // the result reports this.
                      onLeave={() => void addKnown(line).catch(() => undefined)}
                    />
                  ) : (
                    <div style={{ maxWidth: '100%' }}>
                      <Cut text={line.email || '–'} />
                      <Hint size="xs">{[lineName(line), ...partsOf(line)].join(' · ')}</Hint>
                    </div>
                  )}
                  {line.error === undefined ? (
                    <Status tone="good">{t('Wird eingeladen', 'Will be invited')}</Status>
                  ) : (
                    <Status tone={isNoMistake(line.error) ? 'plain' : 'bad'}>{errorText(line)}</Status>
                  )}
                </Stack>
              ),
            },
          ]}
          none={t('Die Liste ist leer', 'The list is empty')}
          hint={t('Gehen Sie zurück und fügen Sie E-Mail-Adressen ein.', 'Go back and add email addresses.')}
        />
      )}
      {exceptions.length > maxLines && <Hint>{moreLinesText(exceptions.length - maxLines)}</Hint>}
      {ready.length > 0 && (
        <Folded
          summary={reviewTexts({ ...noLines, wanted: ready.length }).join('')}
          people={ready.map((line) => ({ ...line, about: partsOf(line).join(' · ') }))}
          open={exceptions.length === 0}
        />
      )}
      {isSending && done > 0 && (
        <Text size="sm" role="status">
          {doneText({ done, total: people.length })}
        </Text>
      )}
      <ProblemAlert error={error} />
      <DialogButtons>
        <Button autoFocus={correctable.size === 0} onClick={() => onBack(lines)}>
          {t('Zurück', 'Back')}
        </Button>
        <Button
          variant="filled"
          disabled={people.length === 0}
          loading={isSending}
          onClick={() => onSend(people, reviewed.filter(isLeft))}
        >
          {inviteText(people.length)}
        </Button>
      </DialogButtons>
    </>
  );
};

/** The role, the language and the id of a line. */
const partsOf = ({ role, lang, external_id: externalId }: WrittenInvitee): string[] => {
  const read = roleOf(role);
  return [read ? roleName(read) : role, languageName(lang), ...(externalId === undefined ? [] : [externalId])];
};

const noLines = { wanted: 0, mistakes: 0, present: 0, twice: 0, further: 0 };

/** Whether somebody has to do something before the person of this line can be invited. */
const isLeft = ({ error }: ReviewedLine): boolean => error !== undefined && !isNoMistake(error);

interface FoldedProps {
  summary: string;
  people: readonly { email: string; name?: string | undefined; about: string }[];
  open: boolean;
}

/** People for whom there is nothing to do, each in one line. */
export const Folded = ({ summary, people, open }: FoldedProps) => (
  <details open={open}>
    <Text component="summary" size="sm" fw={500} style={{ cursor: 'pointer' }}>
      {summary}
    </Text>
    <Stack component="ul" gap={4} mt="xs" p={0} m={0} mah={280} style={{ overflowY: 'auto', listStyle: 'none' }}>
      {people.slice(0, maxLines).map(({ email, name, about }) => (
        <Group key={email} component="li" gap={6} wrap="nowrap">
          <Text size="sm" truncate miw={0}>
            {name === undefined ? email : `${name} · ${email}`}
          </Text>
          <Text size="xs" c="dimmed" flex="none">
            {about}
          </Text>
        </Group>
      ))}
    </Stack>
    {people.length > maxLines && <Hint mt={4}>{moreLinesText(people.length - maxLines)}</Hint>}
  </details>
);

/** How many invitations will be sent, and how many lines are left out, by reason. */
const ReviewSummary = ({ reviewed, ignored }: { reviewed: readonly ReviewedLine[]; ignored: readonly string[] }) => {
  const countOf = (isCounted: (line: ReviewedLine) => boolean): number => reviewed.filter(isCounted).length;
  const parts = [
    ...reviewTexts({
      wanted: countOf(({ invitee }) => invitee !== undefined),
      mistakes: countOf(isCorrectable),
      present: countOf(({ error }) => error === 'member' || error === 'invited' || error === 'waiting'),
      twice: countOf(({ error }) => error === 'twice'),
      further: countOf(({ error }) => error === 'too many'),
    }),
    ignored.length > 0 && t(`Ignorierte Spalten: ${ignored.join(', ')}`, `Ignored columns: ${ignored.join(', ')}`),
  ];
  return (
    <Text size="sm" role="status">
      {parts.filter((part) => part !== false).join(' · ')}
    </Text>
  );
};

/** The value of a choice if its line has an unknown word. */
const unknown = 'unknown';

interface LineFieldsProps {
  line: ReviewedLine;
  /** Whether its first field gets the focus. */
  first: boolean;
  onChange: (changed: Partial<WrittenInvitee>) => void;
  /** Called when the field of the address loses the focus. */
  onLeave: () => void;
}

/** The fields of a line with a mistake. */
const LineFields = ({ line: { email, role, lang, external_id, place }, first, onChange, onLeave }: LineFieldsProps) => {
  const [readRole, readLang] = [roleOf(role), languageOf(lang)];
  return (
    <Group gap={6} w="100%">
      <TextInput
        aria-label={t(`E-Mail in Zeile ${place}`, `Email in line ${place}`)}
        autoFocus={first}
        size="xs"
        flex="1 1 180px"
        spellCheck={false}
        autoComplete="off"
        value={email}
        onChange={(event) => onChange({ email: event.currentTarget.value.trim() })}
        onBlur={onLeave}
      />
      <NativeSelect
        aria-label={t(`Rolle in Zeile ${place}`, `Role in line ${place}`)}
        size="xs"
        value={readRole ?? unknown}
        onChange={(event) => onChange({ role: event.currentTarget.value })}
        data={[
          ...(readRole ? [] : [{ value: unknown, label: role, disabled: true }]),
          { value: 'member', label: roleName('member') },
          { value: 'admin', label: roleName('admin') },
        ]}
      />
      <NativeSelect
        aria-label={t(`Sprache in Zeile ${place}`, `Language in line ${place}`)}
        size="xs"
        value={readLang === undefined ? unknown : (readLang ?? '')}
        onChange={(event) => onChange({ lang: event.currentTarget.value })}
        data={[
          ...(readLang === undefined ? [{ value: unknown, label: lang, disabled: true }] : []),
          ...['', 'de', 'en'].map((one) => ({ value: one, label: languageName(one) })),
        ]}
      />
      {external_id !== undefined && (
        <TextInput
          aria-label={t(`Externe ID in Zeile ${place}`, `External ID in line ${place}`)}
          size="xs"
          flex="1 1 120px"
          spellCheck={false}
          autoComplete="off"
          value={external_id}
          onChange={(event) => onChange({ external_id: event.currentTarget.value.trim() })}
        />
      )}
    </Group>
  );
};
