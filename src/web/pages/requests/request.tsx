import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import type { DetailedRequest, LoggedProblem } from '../../../modules/requests/schema.ts';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { Copy, idFact } from '../../kit/text/copy.tsx';
import { Facts, type Fact } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Notice } from '../../kit/page/messages.tsx';
import { Detail, Page, Panel } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Prefix } from '../keys/key-words.tsx';
import { CodeText } from '../webhooks/code-text.tsx';
import { curlOf, hasBody } from './curl.ts';
import { AnswerStatus, CodeLink, Duration } from './request-parts.tsx';
import { clientClosedStatus, moreFlawsText, routeText, routeWords, similarTo } from './request-words.ts';

export default function RequestPage() {
  const { id = '' } = useParams();
  return <OneRequest id={id} />;
}

/** The page of a request, also shown beside a list. */
export const OneRequest = ({ id }: { id: string }) => {
  const query = useQuery(app.requests.get.queryOptions({ entry_id: id }));
  const back = { to: '/requests', label: t('Anfragen', 'Request log') };
  return (
    <Detail
      title={t('Anfrage', 'Request')}
      back={back}
      query={query}
      missing={t('Diese Anfrage ist nicht gespeichert', 'This request is not stored')}
      advice={t(
        'Anfragen werden nur für begrenzte Zeit aufbewahrt. Möglicherweise gehört diese zu einem anderen Team.',
        'Requests are kept for a limited time. This one may also belong to another team.',
      )}
    >
      {(request) => (
        <Page title={routeText(request, routeWords())} back={back}>
          <RequestView request={request} />
        </Page>
      )}
    </Detail>
  );
};

const RequestView = ({ request }: { request: DetailedRequest }) => (
  <>
    {request.is_hidden && (
      <Notice tone="info" title={t('Personenbezogene Daten ausgeblendet', 'Member-level data is hidden')}>
        {t(
          'Ihr Team zeigt keine Angaben zu einzelnen Personen. IDs im Pfad, Query-Parameter und Texte der Antwort fehlen deshalb hier.',
          'Your team does not show details about individual people. So ids in the path, query parameters and texts of the response are left out here.',
        )}
      </Notice>
    )}
    <Panel title={t('Anfrage', 'Request')}>
      <RequestFacts request={request} />
    </Panel>
    {request.code !== null && (
      <Panel title={t('Fehler', 'Error')}>
        <ProblemView code={request.code} problem={request.problem} />
      </Panel>
    )}
    <Repeat request={request} />
    <Panel title={t('Ähnliche Anfragen', 'Similar requests')}>
      <SimilarRequests request={request} />
    </Panel>
  </>
);

const none = '–';

const RequestFacts = ({ request }: { request: DetailedRequest }) => {
  const { request_id, status, code, count, created_at, key, address, user_agent, path, query } = request;
  const facts: (Fact | false)[] = [
    {
      name: t('Antwort', 'Response'),
      value: (
        <Group gap="xs">
          <AnswerStatus status={status} />
          {code !== null && <CodeLink code={code} />}
        </Group>
      ),
    },
    status === clientClosedStatus && {
      name: t('Status 499', 'Status 499'),
      value: t(
        'Der Client hat die Verbindung geschlossen, bevor die Antwort vollständig gesendet war.',
        'The client closed the connection before the response was fully sent.',
      ),
    },
    { name: t('Zeitpunkt', 'Time'), value: <ExactTime at={created_at} /> },
    { name: t('Dauer', 'Duration'), value: <Duration request={request} /> },
    {
      name: t('Schlüssel', 'Key'),
      alone: 'when narrow',
      value: (
        <>
          <TextLink to={`/keys/${key.id}`}>{key.name}</TextLink> <Prefix prefix={key.prefix} breaks />
        </>
      ),
    },
    {
      name: t('Pfad', 'Path'),
      alone: 'always',
      value: path === null ? none : <Code style={{ overflowWrap: 'anywhere' }}>{path}</Code>,
    },
    {
      name: t('Query-Parameter', 'Query parameters'),
      alone: 'always',
      value: query === null ? none : <Parameters query={query} />,
    },
    { name: t('IP-Adresse', 'IP address'), value: address ?? none },
    {
      name: 'User-Agent',
      value: user_agent === null ? none : <span style={{ overflowWrap: 'anywhere' }}>{user_agent}</span>,
    },
    idFact(request_id, t('Anfrage-ID', 'Request ID')),
    count > 1 && {
      name: t('Anzahl', 'Count'),
      alone: 'always',
      value: t(
        `${number(count)} abgelehnte Anfragen in derselben Minute mit derselben Antwort. Alle anderen Angaben beziehen sich auf die erste Anfrage.`,
        `${number(count)} rejected requests in the same minute with the same response. All other details are those of the first request.`,
      ),
    },
  ];
  return (
    <Stack gap="md">
      <Facts sideBySide facts={facts} />
      <Hint size="xs">
        {t(
          'Inhalte von Anfragen und Antworten werden nicht gespeichert. Lange Texte sind gekürzt, Geheimnisse in der Query durch [redacted] ersetzt.',
          'The contents of requests and responses are not stored. Long texts are shortened, and secrets in the query are replaced by [redacted].',
        )}
      </Hint>
    </Stack>
  );
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

/** The parameters of a query, one in each line. */
const Parameters = ({ query }: { query: string }) => (
  <Stack gap={2}>
    {query.split('&').map((parameter, index) => (
      <Code key={index} style={{ overflowWrap: 'anywhere', width: 'fit-content' }}>
        {decoded(parameter)}
      </Code>
    ))}
  </Stack>
);

type LoggedFlaw = NonNullable<LoggedProblem['errors']>[number];

const ProblemView = ({ code, problem }: { code: string; problem: LoggedProblem | null }) => {
  const { errors = [], detail, field, dimension, id, required_scope, retry_after } = problem ?? {};
  const facts: Fact[] = [
    { name: 'code', value: <CodeLink code={code} /> },
    ...Object.entries({ detail, field, dimension, id, required_scope }).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value: <span lang="en">{value}</span> }],
    ),
    ...(retry_after === undefined ? [] : [{ name: 'retry_after', value: `${retry_after} s` }]),
  ];
  const places: Record<NonNullable<LoggedFlaw['in']>, string> = {
    query: t('Query-Parameter', 'Query'),
    path: t('Pfad', 'Path'),
    body: 'Body',
  };
  const more = moreFlawsText(problem ?? {});
  return (
    <Stack gap="md">
      <Facts facts={facts} />
      {errors.length > 0 && (
        <DataTable
          label={t('Fehlerhafte Felder', 'Invalid fields')}
          list={{ rows: errors.map((flaw, index) => ({ ...flaw, index })) }}
          keyOf={({ index }) => String(index)}
          columns={[
            {
              label: t('Teil', 'Part'),
              cell: ({ in: part }) => (part === undefined ? none : places[part]),
            },
            {
              label: t('Feld', 'Field'),
              cell: ({ path }) => <Code style={{ overflowWrap: 'anywhere' }}>{path.join('.') || none}</Code>,
            },
            {
              label: t('Regel', 'Rule'),
              cell: ({ code: rule }) => <Code style={{ overflowWrap: 'anywhere' }}>{rule}</Code>,
            },
            {
              label: t('Meldung', 'Message'),
              flexible: true,
              cell: ({ message }) => (
                <span lang="en" style={{ overflowWrap: 'anywhere' }}>
                  {message || none}
                </span>
              ),
            },
          ]}
        />
      )}
      {more !== undefined && <Hint>{more}</Hint>}
      <CodeHelp code={code} />
    </Stack>
  );
};

const Repeat = ({ request }: { request: DetailedRequest }) => {
  const command = curlOf(request, window.location.origin);
  return (
    <Panel title={t('Wiederholen', 'Repeat')} actions={<Copy value={command} what={t('Befehl', 'command')} />}>
      <Stack gap="xs">
        <CodeText label={t('Befehl zum Wiederholen', 'Command that repeats the request')}>{command}</CodeText>
        <Hint>
          {t(
            'Setzen Sie vorher die Variable API_KEY auf Ihren Schlüssel.',
            'Set the variable API_KEY to your key first.',
          )}
          {hasBody(request) &&
            t(
              ' Der Body einer Anfrage wird nicht gespeichert; schreiben Sie ihn in die Datei body.json.',
              ' The body of a request is not stored; write it to the file body.json.',
            )}
        </Hint>
      </Stack>
    </Panel>
  );
};

const CodeHelp = ({ code }: { code: string }) => (
  <Text span size="sm">
    <DocsLink page={`errors#${code}`}>{t(`Hilfe zu ${code}`, `Help with ${code}`)}</DocsLink>
  </Text>
);

const SimilarRequests = ({ request }: { request: DetailedRequest }) => (
  <Group gap="md" component="nav" aria-label={t('Ähnliche Anfragen', 'Similar requests')}>
    {similarTo(request).map(([label, to]) => (
      <TextLink key={to} to={to}>
        {label}
      </TextLink>
    ))}
  </Group>
);
