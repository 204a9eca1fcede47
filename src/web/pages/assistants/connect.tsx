import { Button, Group, List, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Hint } from '../../kit/text/text.tsx';
import { Notice, ProblemAlert } from '../../kit/page/messages.tsx';
import { Page, Panel, Pending } from '../../kit/page/page.tsx';
import { currentLanguage, t } from '../../language/language.tsx';
import { entrance, type EntranceOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';

/** The parameters with which an assistant sends a person here. Others are ignored, as OAuth requires. */
const useRequest = () => {
  const [params] = useSearchParams();
  const of = (name: string): string => params.get(name) ?? '';
  const [state, resource] = [params.get('state'), params.get('resource')];
  return {
    client_id: of('client_id'),
    redirect_uri: of('redirect_uri'),
    response_type: of('response_type'),
    code_challenge: of('code_challenge'),
    code_challenge_method: of('code_challenge_method'),
    ...(state !== null && { state }),
    ...(resource !== null && { resource }),
  };
};

/** A person decides whether an assistant may act for them, and in which of their teams. */
export default function ConnectAssistantPage() {
  const request = useRequest();
  const query = useQuery(entrance.assistants.question.queryOptions(request));
  const { data } = query;
  return (
    <Page
      title={t('Assistenten verbinden', 'Connect an assistant')}
      lead={t(
        'Ein Assistent wie Claude oder ChatGPT kann Fragen zu Ihrem Team beantworten und Aufgaben zuweisen.',
        'An assistant such as Claude or ChatGPT can answer questions about your team and create assignments.',
      )}
    >
      <Stack maw={680}>
        {!data && <Pending query={query} height={220} />}
        {data && !data.question && (
          <Notice tone="warn" title={t('Ungültige Anfrage', 'Invalid request')}>
            {t(
              'Starten Sie die Verbindung in Ihrem Assistenten erneut. Wenn das Problem bestehen bleibt, wenden Sie sich an dessen Anbieter.',
              'Connect again from your assistant. If the problem persists, contact its provider.',
            )}
          </Notice>
        )}
        {data?.question && <Decision request={request} question={data.question} />}
      </Stack>
    </Page>
  );
}

interface DecisionProps {
  request: ReturnType<typeof useRequest>;
  question: NonNullable<EntranceOutputs['assistants']['question']['question']>;
}

const Decision = ({
  request,
  question: { client_name: name, document_host: documentHost, redirect_host: host, declined_to, teams },
}: DecisionProps) => {
  const language = currentLanguage();
  const { me, team: current } = useSignedIn();
  const [chosen, setChosen] = useState(current.tenant_id);
  const connect = useMutation(entrance.assistants.connect.mutationOptions());
  const team = teams.find(({ tenant_id }) => tenant_id === chosen) ?? teams[0];

  if (!team) {
    return (
      <Notice tone="warn" title={t('Kein Team mit API-Zugang', 'No team with API access')}>
        {t(
          'Assistenten benötigen API-Zugang. Keines Ihrer aktiven Teams hat einen Tarif mit API-Zugang.',
          'Assistants need API access. None of your active teams has a plan with API access.',
        )}
      </Notice>
    );
  }
  return (
    <Panel title={t(`„${name}“ Zugriff erlauben?`, `Allow “${name}” access?`)}>
      <Stack>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t(
            `Sie sind als ${me.email} angemeldet und werden anschließend zu ${host} weitergeleitet. Fahren Sie nur fort, wenn Sie diese Verbindung selbst gestartet haben.`,
            `You are signed in as ${me.email} and will be redirected to ${host}. Only continue if you started this connection.`,
          )}
        </Text>
        {documentHost !== null && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t(
              `Die Angaben zum Assistenten stammen von ${documentHost}.`,
              `The details of the assistant come from ${documentHost}.`,
            )}
          </Text>
        )}
        <NativeSelect
          label={t('Team', 'Team')}
          description={t(
            'Der Assistent hat nur Zugriff auf dieses Team.',
            'The assistant has access to this team only.',
          )}
          data={teams.map(({ tenant_id: value, name: label }) => ({ value, label }))}
          value={team.tenant_id}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        />
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('Der Assistent kann in Ihrem Namen:', 'The assistant can do the following on your behalf:')}
          </Text>
          <List size="sm" spacing={4}>
            {team.abilities.map((ability) => (
              <List.Item key={ability.en}>{ability[language]}</List.Item>
            ))}
          </List>
        </div>
        <Hint>
          {t(
            'Der Assistent hat nie mehr Berechtigungen als Sie. Unter „Konto und Sicherheit“ können Sie ihn jederzeit trennen.',
            'The assistant never has more permissions than you. You can disconnect it at any time in “Account and security”.',
          )}
        </Hint>
        <ProblemAlert error={connect.error} />
        <Group>
          <Button
            variant="filled"
            loading={connect.isPending || connect.isSuccess}
            onClick={() =>
              connect.mutate(
                { ...request, tenant_id: team.tenant_id },
                { onSuccess: ({ redirect_to: url }) => window.location.assign(url) },
              )
            }
          >
            {t('Zugriff erlauben', 'Allow access')}
          </Button>
          <Button component="a" href={declined_to}>
            {t('Ablehnen', 'Decline')}
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
};
