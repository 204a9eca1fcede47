import { Box, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Hint, TextLink } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { useConfirm, type Question } from '../dialog/confirm.tsx';
import { isNotFound } from '../../server/problem.ts';
import { Empty, notify, ProblemAlert } from './messages.tsx';
import classes from './page.module.css';

/** The place below the title of the open page where parts of the page show their announcements. */
export const PageTop = createContext<HTMLElement | null>(null);

/** Whether a page is in the panel beside a list. The panel itself has a label and a link to the row's own page. */
export const InPanel = createContext(false);

interface PageProps {
  title: string;
  /** One sentence: what the page is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** A link to the parent page. */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** A page with its title, which is also the browser tab's title, except in the panel beside a list. */
export const Page = ({ title, lead, actions, back, children }: PageProps) => {
  const isInPanel = useContext(InPanel);
  useDocumentTitle(isInPanel ? '' : `${title} · Team Customer API`);
  const [top, setTop] = useState<HTMLElement | null>(null);
  return (
    <PageTop value={top}>
      <Stack gap="lg">
        <Box>
          {back && !isInPanel && <TextLink to={back.to}>← {back.label}</TextLink>}
          <Group justify="space-between" align="flex-start" gap="md">
            <div className={classes['title']}>
              <Title order={isInPanel ? 2 : 1} size={isInPanel ? 'h3' : 'h2'} className={classes['name'] ?? ''}>
                {title}
              </Title>
              {lead !== undefined && (
                <Text c="dimmed" mt={4} maw={720} className={classes['lead'] ?? ''}>
                  {lead}
                </Text>
              )}
            </div>
            {actions !== undefined && (
              <Group gap="sm" className={classes['actions'] ?? ''}>
                {actions}
              </Group>
            )}
          </Group>
        </Box>
        <div ref={setTop} className={classes['top']} />
        {children}
      </Stack>
    </PageTop>
  );
};

interface PanelProps {
  title?: string;
  /** An id to which links on the page lead. */
  id?: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** A link to the page about the same subject, instead of other actions. */
  link?: { to: string; label: string };
  children: ReactNode;
}

/** A framed section of a page. */
export const Panel = ({ title, id, lead, actions, link, children }: PanelProps) => (
  <Box
    component="section"
    id={id}
    className={classes['panel'] ?? ''}
    {...(title !== undefined && { 'aria-label': title, 'data-panel': true })}
  >
    {title !== undefined && (
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {link ? (
          <TextLink to={link.to} className={classes['link'] ?? ''}>
            {link.label}
          </TextLink>
        ) : (
          actions
        )}
      </Group>
    )}
    {lead !== undefined && <Hint mb="md">{lead}</Hint>}
    {children}
  </Box>
);

interface DangerPanelProps {
  title: string;
  /** Suggests a milder action, or one that should come first. */
  advice: string;
  action: string;
  question: Question;
}

/** The last section of a detail page: deletes its object for good, after a confirmation. */
export const DangerPanel = ({ title, advice, action, question }: DangerPanelProps) => {
  const confirm = useConfirm();
  return (
    <Panel title={title}>
      <Group justify="space-between" gap="md">
        <Hint flex="1 1 280px">{advice}</Hint>
        <Button color="red.9" variant="filled" onClick={() => confirm(question)}>
          {action}
        </Button>
      </Group>
    </Panel>
  );
};

/**
 * Deletes the object of a detail page and leads to the list. `isDeleting` is true from the request on: the page must
 * then no longer show or load the object, because it may not exist any more.
 */
export const useDeletion = (list: string) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const deleteAndLeave = async (request: () => Promise<unknown>, message: string): Promise<void> => {
    setDeleting(true);
    await queries.cancelQueries();
    try {
      await request();
    } catch (error) {
      setDeleting(false);
      void queries.invalidateQueries();
      throw error;
    }
    await navigate(list);
    notify(message);
  };
  return { isDeleting, deleteAndLeave };
};

interface LoadedQuery<Data = unknown> {
  data?: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

export interface PendingProps {
  query: LoadedQuery;
  /** About the height of the content that follows, so that the page does not jump. */
  height: number;
  /**
   * The placeholder has the shape of the content that is loading: lines of text or a form, one chart, or several
   * panels.
   */
  shape?: 'lines' | 'chart' | 'panels';
}

const lineHeight = 32;
const lineWidths = ['36%', '88%', '76%', '64%'];
const panelHeight = 240;

const Lines = ({ height }: { height: number }) => (
  <Stack h={height} gap={lineHeight - 16} style={{ overflow: 'hidden' }}>
    {Array.from({ length: Math.max(1, Math.floor(height / lineHeight)) }, (_, line) => (
      <Skeleton key={line} height={16} width={lineWidths[line % lineWidths.length]} />
    ))}
  </Stack>
);

/** Shown instead of a content while it loads, or if it can't be loaded. */
export const Pending = ({ query: { error, refetch }, height, shape = 'lines' }: PendingProps) => {
  if (error !== null) return <ProblemAlert error={error} retry={() => void refetch()} />;
  return (
    <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
      {shape === 'chart' && <Skeleton height={height} />}
      {shape === 'lines' && <Lines height={height} />}
      {shape === 'panels' &&
        Array.from({ length: Math.max(1, Math.round(height / panelHeight)) }, (_, panel) => (
          <div key={panel} className={classes['panel']}>
            <Lines height={panelHeight - 64} />
          </div>
        ))}
    </Stack>
  );
};

interface DetailProps<Data> extends Omit<PageProps, 'children'> {
  query: LoadedQuery<Data>;
  /** The message for an object that does not exist, and advice. */
  missing: string;
  advice: string;
  /** Whether the object does not exist. By default, whether the server says so. */
  isMissing?: boolean;
  children: (data: Data) => ReactNode;
}

/** The page of an object. It also shows that the object is loading, can't be loaded, or does not exist. */
export function Detail<Data>({
  query,
  missing,
  advice,
  isMissing = isNotFound(query.error),
  children,
  ...page
}: DetailProps<Data>) {
  if (query.data !== undefined && !isMissing) return children(query.data);
  return (
    <Page {...page}>
      {isMissing ? (
        <Panel>
          <Empty title={missing}>{advice}</Empty>
        </Panel>
      ) : (
        <Pending query={query} height={400} shape="panels" />
      )}
    </Page>
  );
}

/** Shown instead of a list about individual people while the team's privacy settings hide them. */
export const DetailsOff = ({ title, children }: { title: string; children: ReactNode }) => (
  <Panel>
    <Empty title={title} link={{ to: '/settings/privacy', label: t('Einstellungen öffnen', 'Open settings') }}>
      {t(
        'Ihr Team hat personenbezogene Daten in der App und in der API ausgeblendet.',
        'Your team has hidden member-level data in the app and in the API.',
      )}{' '}
      {children}
    </Empty>
  </Panel>
);

export const TextSkeleton = () => <Skeleton height={14} width={120} component="span" display="inline-block" />;
