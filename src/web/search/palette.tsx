import { Kbd, Loader, Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconBolt,
  IconBook,
  IconChecklist,
  IconFolders,
  IconKey,
  IconListSearch,
  IconMicrophone,
  IconSearch,
  IconSend,
  IconUser,
  IconWebhook,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { number } from '../kit/text/figures.ts';
import { docsAddress, Hint } from '../kit/text/text.tsx';
import { ProblemAlert } from '../kit/page/messages.tsx';
import { t } from '../language/language.tsx';
import { pageIcons } from '../layout/page-icons.ts';
import { navigation } from '../pages.tsx';
import { app, type AppOutputs } from '../server/server.ts';
import { seesOthers } from '../session/may.ts';
import { useSignedIn } from '../session/signed-in.tsx';
import { useOffers } from './actions.ts';
import { matches } from './match.ts';
import { pageOf } from './found-pages.ts';
import classes from './search.module.css';
import { pastedId, searchable } from './search-text.ts';
import { useFocusBack, type WantedSearch } from './shortcuts.ts';

type SearchResult = AppOutputs['search']['find']['data'][number];

const icons: Readonly<Record<SearchResult['kind'], typeof IconUser>> = {
  member: IconUser,
  key: IconKey,
  endpoint: IconWebhook,
  delivery: IconSend,
  event: IconBolt,
  request: IconListSearch,
  training: IconMicrophone,
  assignment: IconChecklist,
  case: IconFolders,
};

/** The kinds whose detail is shown beside the name. */
const detailed: readonly SearchResult['kind'][] = ['member', 'assignment'];

const kindNames = (): Readonly<Record<SearchResult['kind'], string>> => ({
  member: t('Mitglied', 'Member'),
  key: t('API-Schlüssel', 'API key'),
  endpoint: t('Endpunkt', 'Endpoint'),
  delivery: t('Zustellung', 'Delivery'),
  event: t('Ereignis', 'Event'),
  request: t('Anfrage', 'Request'),
  training: t('Training', 'Training'),
  assignment: t('Aufgabe', 'Assignment'),
  case: t('Fall', 'Case'),
});

interface PaletteOption {
  key: string;
  kind: string;
  name: string;
  /** The detail that distinguishes the result from others with the same name. */
  detail?: string | null;
  Icon: typeof IconUser;
  run: () => void;
}

/** How many results of one kind the server sends at most. If there are this many, there may be more. */
const maxOfKind = 5;

/** The pages whose name in either language matches the text. */
const usePages = (text: string): PaletteOption[] => {
  const { may } = useSignedIn();
  const navigate = useNavigate();
  return navigation
    .flatMap(({ entries }) => entries)
    .filter(({ needs, name }) => {
      const names = [name(t), name((de) => de), name((_de, en) => en)];
      return may(needs) && matches(names, text);
    })

    .map(({ path, name }) => ({
      key: path,
      kind: t('Seite', 'Page'),
      name: name(t),
      Icon: pageIcons[path],
      run: () => void navigate(path),
    }));
};

/** The results of the server; undefined while it searches. */
const useFound = (text: string): { found: PaletteOption[] | undefined; error: unknown } => {
  const kinds = kindNames();
  const navigate = useNavigate();
  const { team, may } = useSignedIn();
  const [settled] = useDebouncedValue(text, pastedId(text) === undefined ? 150 : 0);
  const enabled = settled.length >= 2;
  const { data, error } = useQuery(
    app.search.find.queryOptions({ text: settled }, { enabled, trpc: { abortOnUnmount: true } }),
  );
  const isLong = (of: SearchResult['kind']) => data?.data.filter(({ kind }) => kind === of).length === maxOfKind;
  const search = { search: settled };
  const members = useQuery(app.members.count.queryOptions(search, { enabled: isLong('member') }));
  const seesAll = seesOthers(may, team.privacy);
  const assignments = useQuery(app.assigning.count.queryOptions(search, { enabled: seesAll && isLong('assignment') }));
  if (text.length < 2) return { found: [], error: null };
  if (!data || settled !== text) return { found: undefined, error };
  const found = data.data.map((one) => ({
    key: `${one.kind} ${one.id}`,
    kind: kinds[one.kind],
    name: one.name ?? one.id,
    ...(detailed.includes(one.kind) && one.detail !== one.name && { detail: one.detail }),
    Icon: icons[one.kind],
    run: () => void navigate(pageOf(one)),
  }));
  /** Nothing while the number is not known, or if there are too many to count. */
  const numberOf = (counted: typeof members.data) => (counted?.more === false ? `${number(counted.count)} ` : '');
  const [m, a] = [numberOf(members.data), numberOf(assignments.data)];
  const longer = [
    {
      of: 'member',
      path: '/members',
      name: t(`Alle ${m}Mitglieder mit „${settled}“ anzeigen`, `Show all ${m}members with “${settled}”`),
    },
    {
      of: 'assignment',
      // While the team's list is hidden, only the reader's own assignments are found.
      path: team.privacy.member_detail ? '/assignments' : '/assignments?view=mine',
      name: t(`Alle ${a}Aufgaben mit „${settled}“ anzeigen`, `Show all ${a}assignments with “${settled}”`),
    },
  ] as const;
  const all = longer
    .filter(({ of }) => isLong(of))
    .map(({ of, path, name }) => ({
      key: `all of ${of}`,
      kind: kinds[of],
      name,
      Icon: icons[of],
      run: () => void navigate(`${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(search)}`),
    }));
  return { found: [...found, ...all], error: null };
};

interface PaletteProps {
  wanted: NonNullable<WantedSearch>;
  onClose: () => void;
  onShortcuts: () => void;
}

interface ResultsProps {
  id: string;
  options: readonly PaletteOption[];
  chosen: number;
  onChoose: (at: number) => void;
  onOpen: (option: PaletteOption) => void;
}

/** The results; the chosen one is kept in sight. */
const Results = ({ id, options, chosen, onChoose, onOpen }: ResultsProps) => {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul
      ref={list}
      id={`${id}-list`}
      role="listbox"
      aria-label={t('Ergebnisse', 'Results')}
      className={classes['results']}
    >
      {options.map((option, at) => {
        const { key, kind, name, detail, Icon } = option;
        return (
          <li
            key={key}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            onMouseMove={() => onChoose(at)}
            onClick={() => onOpen(option)}
          >
            <Icon size={18} stroke={1.7} aria-hidden />
            <Text span inherit truncate flex={1}>
              {name}
              {typeof detail === 'string' && (
                <Text span size="xs" ml={8} className={classes['kind'] ?? ''}>
                  {detail}
                </Text>
              )}
            </Text>
            <span className={classes['kind']}>{kind}</span>
          </li>
        );
      })}
    </ul>
  );
};

/** The search for pages, actions, settings, the documentation and objects, in a dialog. */
export default function Palette({ wanted, onClose, onShortcuts }: PaletteProps) {
  useFocusBack();
  const id = useId();
  const [typed, setTyped] = useState(wanted.text);
  const [active, setActive] = useState(0);
  const text = searchable(typed);
  const pages = usePages(text);
  const offers = useOffers(onShortcuts).filter(({ name, words }) => text.length >= 2 && matches([name, words], text));
  const { found, error } = useFound(text);
  const isId = pastedId(text) !== undefined;
  const documentation: PaletteOption = {
    key: 'documentation',
    kind: t('Dokumentation', 'Docs'),
    name: t(`„${text}“ in der Dokumentation suchen`, `Search the documentation for “${text}”`),
    Icon: IconBook,
    run: () =>
      window.open(`${docsAddress('search')}?${new URLSearchParams({ q: text }).toString()}`, '_blank', 'noreferrer'),
  };
  const options: PaletteOption[] = isId
    ? (found ?? [])
    : [...pages, ...offers, ...(found ?? []), ...(text.length < 2 || found === undefined ? [] : [documentation])];
  const chosen = Math.min(active, Math.max(options.length - 1, 0));

  const open = (option: PaletteOption): void => {
    onClose();
    option.run();
  };
  // A pasted id opens its object at once.
  const only = wanted.opensDirectly && typed === wanted.text && found?.length === 1 ? found[0] : undefined;
  useEffect(() => {
    if (only) open(only);
  }, [only?.key]);

  const press = (event: React.KeyboardEvent): void => {
    const last = options.length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: chosen === last ? 0 : chosen + 1,
      ArrowUp: chosen === 0 ? last : chosen - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setActive(Math.max(next, 0));
    }
    const option = options[chosen];
    if (event.key === 'Enter' && option) {
      event.preventDefault();
      open(option);
    }
  };
  const label = t('Seiten, Aktionen, Mitglieder und IDs suchen', 'Search pages, actions, members and IDs');
  const count = options.length;
  const isSearching = found === undefined && !error;
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="10vh" centered={false} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('Suche', 'Search')}>
        <Modal.Body p={0}>
          <TextInput
            data-autofocus
            variant="unstyled"
            size="md"
            role="combobox"
            aria-label={label}
            aria-expanded={count > 0}
            aria-autocomplete="list"
            {...(count > 0 && { 'aria-controls': `${id}-list`, 'aria-activedescendant': `${id}-${chosen}` })}
            placeholder={t('Seite, Aktion, Person, ID …', 'Page, action, person, ID …')}
            autoComplete="off"
            spellCheck={false}
            leftSection={isSearching ? <Loader size={16} /> : <IconSearch size={18} aria-hidden />}
            rightSection={<Kbd size="xs">Esc</Kbd>}
            rightSectionWidth={52}
            className={classes['field'] ?? ''}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setActive(0);
            }}
            onKeyDown={press}
          />
          {count > 0 && <Results id={id} options={options} chosen={chosen} onChoose={setActive} onOpen={open} />}
          <div role="status" className={classes['status']}>
            {count === 0 && !isSearching && !error && <Text size="sm">{t('Keine Treffer', 'No results')}</Text>}
            {isSearching && count === 0 && <Text size="sm">{t('Suche läuft …', 'Searching …')}</Text>}
            {text === '' && (
              <Hint size="xs">
                {t(
                  'Namen, E-Mail-Adressen, Titel und IDs. Eine kopierte ID können Sie auf jeder Seite einfügen.',
                  'Names, email addresses, titles and IDs. You can paste a copied ID on any page.',
                )}
              </Hint>
            )}
          </div>
          <ProblemAlert error={error} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
