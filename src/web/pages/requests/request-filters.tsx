import { Box, Button, Group, NativeSelect, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { problemCodes } from './problem-codes.ts';
import type { RequestFilters } from './request-filter.ts';
import classes from './request-filters.module.css';
import { SinceUntil } from './since-until.tsx';
import { TypedFilter } from './typed-filter.tsx';

interface Option {
  value: string;
  label: string;
}

/** What can be chosen, and what the address says though nobody offers it. */
const withCurrent = (options: Option[], value: string): Option[] =>
  value === '' || options.some((option) => option.value === value) ? options : [...options, { value, label: value }];

/** Every key of the team, page by page. */
const useKeyOptions = (): Option[] => {
  const { rows = [], hasNextPage, isFetchingNextPage, fetchNextPage } = app.usePages('keys.list', {});
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return rows.map(({ key_id, name, prefix }) => ({ value: key_id, label: `${name} (${prefix}…)` }));
};

const useRoutes = (): { routes: string[]; methods: string[] } => {
  const { data } = app.useAnswer('reference.scopes', {});
  const pairs = (data?.scopes ?? []).flatMap(({ routes }) => routes).map((route) => route.split(' '));
  return {
    routes: [...new Set(['/me', ...pairs.map(([, path = '']) => path)])].toSorted(),
    methods: [...new Set(pairs.map(([method = '']) => method))].toSorted(),
  };
};

export const RequestFilterBar = ({ filters }: { filters: RequestFilters }) => {
  const t = useText();
  const { valueOf, set, clear, isSet } = filters;
  const [opened, { toggle }] = useDisclosure();
  const keys = useKeyOptions();
  const { routes, methods } = useRoutes();
  const all: Option = { value: '', label: t('Alle', 'All') };
  const choice = (name: 'key' | 'status' | 'code' | 'method' | 'route', options: Option[]) => ({
    value: valueOf(name),
    onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value),
    data: [all, ...withCurrent(options, valueOf(name))],
  });
  const same = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }));
  const statuses: Option[] = [
    { value: '2xx', label: t('2xx, gelungen', '2xx, done') },
    { value: '4xx', label: t('4xx, abgelehnt', '4xx, refused') },
    { value: '429', label: t('429, gebremst', '429, limited') },
    { value: '5xx', label: t('5xx, fehlgeschlagen', '5xx, failed') },
  ];
  return (
    <Box component="search" aria-label={t('Filter', 'Filters')}>
      <Group hiddenFrom="sm" justify="space-between">
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={opened}
          onClick={toggle}
        >
          {t('Filter', 'Filters')}
        </Button>
      </Group>
      <Box className={classes['filters'] ?? ''} data-opened={opened}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <NativeSelect label={t('Schlüssel', 'Key')} {...choice('key', keys)} />
          <NativeSelect label={t('Status', 'Status')} {...choice('status', statuses)} />
          <NativeSelect label={t('Fehler', 'Problem')} {...choice('code', same(problemCodes))} />
          <NativeSelect label={t('Methode', 'Method')} {...choice('method', same(methods))} />
          <NativeSelect label={t('Route', 'Route')} {...choice('route', same(routes))} />
          <TypedFilter
            label={t('Anfrage-ID', 'Request id')}
            value={valueOf('request_id')}
            onChange={(value) => set('request_id', value)}
          />
          <SinceUntil filters={filters} />
        </SimpleGrid>
      </Box>
      {isSet && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={clear}>
          {t('Alle Filter aufheben', 'Clear all filters')}
        </Button>
      )}
    </Box>
  );
};
