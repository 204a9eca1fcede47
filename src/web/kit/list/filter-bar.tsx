import {
  ActionIcon,
  Button,
  Checkbox,
  CloseButton,
  Group,
  Popover,
  Stack,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconFilter, IconStack2, IconX } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import { t } from '../../language/language.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import { DateField } from '../form/date-field.tsx';
import { MemberFilter, NameOfMember, type MemberFilterProps } from '../names/members.tsx';
import { useIsPhone } from '../page/is-phone.ts';
import { Hint } from '../text/text.tsx';
import { namesOf, wordsOf, type PlainField } from './filter-words.ts';
import { isEmptyList } from './list-rules.ts';
import { FilterSelect, RangeChoice, TextFilter, useAtOnce, type Filters } from './filters.tsx';
import classes from './filter-bar.module.css';
import { ToolsPlace } from './list-tools.tsx';

/**
 * One of the filters of a list: a field in the popover, and a chip while it is set. `name` is its name in the address.
 */
export type FilterField<Name extends string> = { label: string } & (
  | PlainField<Name>
  | ({ kind: 'member'; name: Name } & Pick<MemberFilterProps, 'by' | 'status' | 'former' | 'fallbackName'>)
  /** An input of the page itself. `words` is the text of its chip. */
  | { kind: 'own'; names: readonly Name[]; words: string | undefined; input: ReactNode }
);

/** Filters under a name. */
export interface View {
  name: string;
  filters: Readonly<Record<string, string>>;
}

export interface FilterBarProps<Name extends string> {
  /** The name under which this browser stores the person's own views. */
  list: string;
  filters: Filters<Name>;
  /** The rows of the list. An empty list has no filters. */
  rows?: readonly unknown[] | undefined;
  /** The search field, if the list can be searched. */
  search?: { name: Name; label: string };
  /** Values that are `false` are left out. */
  fields?: readonly (FilterField<Name> | false)[];
  views?: readonly (View | false)[];
  /** Buttons that act on all rows. */
  actions?: ReactNode;
  /** The list. Its tools are shown in the line of the filters. */
  children: ReactNode;
}

const popover = {
  position: 'bottom-start',
  trapFocus: true,
  returnFocus: true,
  shadow: 'md',
  portalProps: { target: '#main' },
} as const;

/**
 * The line above a list: its search, a popover with the other filters, a chip for each filter that is set, and the
 * views.
 */
export function FilterBar<Name extends string>({
  list,
  filters,
  rows,
  search,
  fields: offered = [],
  views = [],
  actions,
  children,
}: FilterBarProps<Name>) {
  const fields = offered.filter((field) => field !== false);
  const isPhone = useIsPhone();
  const [opened, setOpened] = useState(false);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const set = fields.flatMap((field) => {
    const value = chipOf(field, filters);
    return value === undefined ? [] : [{ field, value }];
  });
  const remove = (field: FilterField<Name>): void => {
    for (const name of namesOf(field)) filters.set(name, null);
    // The removed chip had the focus, so the button of the filters gets it.
    button.current?.focus();
  };
  const clearing = (
    <Button variant="subtle" size="compact-sm" flex="none" onClick={filters.clear}>
      {t('Filter zurücksetzen', 'Clear filters')}
    </Button>
  );
  return (
    <ToolsPlace value={tools}>
      <Stack gap="sm">
        {!isEmptyList(rows, filters) && (
          <div className={classes['bar']}>
            {search && (
              <TextFilter
                label={search.label}
                value={filters.valueOf(search.name)}
                onChange={(text) => filters.set(search.name, text)}
              />
            )}
            {fields.length > 0 && (
              <>
                <Popover {...popover} opened={opened} onChange={setOpened} width={320}>
                  <Popover.Target>
                    <Button
                      ref={button}
                      flex="none"
                      leftSection={<IconFilter size={16} aria-hidden />}
                      onClick={() => setOpened(!opened)}
                    >
                      {t('Filter', 'Filters')}
                      {set.length > 0 && ` · ${set.length}`}
                    </Button>
                  </Popover.Target>
                  <Popover.Dropdown>
                    <Stack gap="sm">
                      {fields.map((field) => (
                        <Field key={field.label} field={field} filters={filters} />
                      ))}
                      {filters.isSet && <Group justify="flex-end">{clearing}</Group>}
                    </Stack>
                  </Popover.Dropdown>
                </Popover>
                <Views list={list} filters={filters} views={views.filter((view) => view !== false)} />
              </>
            )}
            {!isPhone && (set.length > 0 || filters.isSet) && (
              <div className={classes['chips']}>
                {set.map(({ field, value }) => (
                  <Chip key={field.label} field={field} value={value} onRemove={() => remove(field)} />
                ))}
                {filters.isSet && !opened && clearing}
              </div>
            )}
            {actions && <div className={classes['actions']}>{actions}</div>}
            <div ref={setTools} className={classes['tools']} />
          </div>
        )}
        {children}
      </Stack>
    </ToolsPlace>
  );
}

/** The text of a filter's chip; undefined if the filter is not set. */
const chipOf = <Name extends string>(field: FilterField<Name>, { valueOf }: Filters<Name>): ReactNode => {
  if (field.kind === 'own') return field.words;
  if (field.kind !== 'member') return wordsOf(field, valueOf);
  const id = valueOf(field.name);
  return id === '' ? undefined : <NameOfMember id={id} {...field} />;
};

function Field<Name extends string>({ field, filters }: { field: FilterField<Name>; filters: Filters<Name> }) {
  if (field.kind === 'own') return field.input;
  if (field.kind === 'range') return <RangeChoice {...field} filters={filters} />;
  const { name, label } = field;
  const input = { label, value: filters.valueOf(name), onChange: (value: string | null) => filters.set(name, value) };
  switch (field.kind) {
    case 'choice':
      return <FilterSelect {...input} options={field.options} />;
    case 'flag':
      return <Flag {...input} />;
    case 'day':
      return <DateField {...input} />;
    case 'member':
    default: {
      const { kind: _kind, name: _name, ...member } = field;
      return <MemberFilter {...member} {...input} />;
    }
  }
}

interface FlagProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function Flag({ label, value: current, onChange }: FlagProps) {
  const [value, set] = useAtOnce(current, onChange);
  return (
    <Checkbox
      label={label}
      checked={value === 'true'}
      onChange={(event) => set(event.currentTarget.checked ? 'true' : '')}
    />
  );
}

interface ChipProps<Name extends string> {
  field: FilterField<Name>;
  value: ReactNode;
  onRemove: () => void;
}

/** A filter that is set. A click removes it. */
function Chip<Name extends string>({ field: { kind, label }, value, onRemove }: ChipProps<Name>) {
  return (
    <UnstyledButton className={classes['chip'] ?? ''} title={t('Filter entfernen', 'Remove filter')} onClick={onRemove}>
      {label}
      {kind !== 'flag' && <b>{value}</b>}
      <IconX size={14} aria-hidden />
    </UnstyledButton>
  );
}

const noViews: Readonly<Record<string, readonly View[]>> = {};

/**
 * The person's own views of a list. They are stored in this browser, like the chosen columns and the height of rows.
 */
const useOwnViews = (list: string) => {
  const { team } = useSignedIn();
  const [all, setAll] = useLocalStorage({ key: 'views', defaultValue: noViews, getInitialValueInEffect: false });
  const key = `${team.member_id} ${list}`;
  const own = all[key] ?? [];
  const others = (name: string) => own.filter((view) => view.name !== name);
  return {
    own,
    save: (view: View) => setAll({ ...all, [key]: [...others(view.name), view] }),
    remove: (name: string) => setAll({ ...all, [key]: others(name) }),
  };
};

interface ViewsProps<Name extends string> {
  list: string;
  filters: Filters<Name>;
  views: readonly View[];
}

/**
 * Applies the filters of a view, and stores the filters that are set as a new view. The address contains the filters,
 * so it can be sent to others.
 */
function Views<Name extends string>({ list, filters, views }: ViewsProps<Name>) {
  const isPhone = useIsPhone();
  const { own, save, remove } = useOwnViews(list);
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState('');
  const current = [...views, ...own].find((view) => filters.is(view.filters));
  const label = t('Ansichten', 'Views');
  const keep = (): void => {
    save({ name: name.trim(), filters: filters.values });
    setName('');
    setOpened(false);
  };
  const viewButton = (view: View) => (
    <Button
      key={view.name}
      fullWidth
      justify="flex-start"
      variant={view === current ? 'light' : 'subtle'}
      color="gray"
      {...(view === current && { 'aria-current': true })}
      onClick={() => {
        filters.show(view.filters);
        setOpened(false);
      }}
    >
      {view.name}
    </Button>
  );
  return (
    <Popover {...popover} opened={opened} onChange={setOpened} width={300}>
      <Popover.Target>
        {isPhone ? (
          <ActionIcon size={36} variant="default" aria-label={label} onClick={() => setOpened(!opened)}>
            <IconStack2 size={16} aria-hidden />
          </ActionIcon>
        ) : (
          <Button
            flex="none"
            rightSection={<IconChevronDown size={14} aria-hidden />}
            onClick={() => setOpened(!opened)}
          >
            {current?.name ?? label}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <Stack gap={4}>
          {views.map(viewButton)}
          {own.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap">
              {viewButton(view)}
              <CloseButton
                aria-label={t(`Ansicht „${view.name}“ löschen`, `Delete the view “${view.name}”`)}
                onClick={() => remove(view.name)}
              />
            </Group>
          ))}
          {current === undefined && filters.isSet && (
            <Group gap="xs" wrap="nowrap" align="flex-end" p={4}>
              <TextInput
                flex={1}
                size="xs"
                maxLength={60}
                label={t('Als Ansicht speichern', 'Save as a view')}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                onKeyDown={({ key }) => {
                  if (key === 'Enter' && name.trim() !== '') keep();
                }}
              />
              <Button size="xs" disabled={name.trim() === ''} onClick={keep}>
                {t('Speichern', 'Save')}
              </Button>
            </Group>
          )}
          {views.length + own.length === 0 && !filters.isSet && (
            <Hint p={4}>
              {t(
                'Setzen Sie Filter, um sie hier als Ansicht zu speichern.',
                'Set filters to save them here as a view.',
              )}
            </Hint>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
