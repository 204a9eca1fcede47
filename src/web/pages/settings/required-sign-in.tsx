import { Button, Group, Progress, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { DateField } from '../../kit/form/date-field.tsx';
import { Notice } from '../../kit/page/messages.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { MinuteTime } from '../../kit/text/formats.tsx';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { CompanyButton, startFor } from '../../session/company-account.tsx';
import { useSignedIn } from '../../session/signed-in.tsx';
import {
  dayOf,
  daysToChoose,
  demandNames,
  demandQuestion,
  startOf,
  starts,
  startText,
  type DemandStart,
} from './demand-words.ts';
import { lackText, readyText } from './figures.ts';
import { addressOf, demandsFor, isUsable } from './rights.ts';
import { SectionPanel } from './sections.tsx';

type CompanySignInState = AppOutputs['companySignIn']['state'];
type Demand = CompanySignInState['demand'];
type Strict = Exclude<Demand, 'none'>;

/** How many of the members are ready, and a link to the list of the others. */
const Readiness = ({ state, demand }: { state: CompanySignInState; demand: Strict }) => {
  const { members, [demand]: ready } = state.readiness;
  return (
    <Stack gap={6} maw={480}>
      <Text size="sm" fw={600}>
        {readyText(state.readiness, demand)}
      </Text>
      <Progress
        size="md"
        value={members === 0 ? 100 : (100 * ready) / members}
        aria-label={t('Anteil der Mitglieder, die bereit sind', 'Share of members who are ready')}
      />
      {ready < members && (
        <Hint size="xs">
          {lackText(members - ready, demand)}{' '}
          <TextLink to={`/members?without=${demand}`} size="xs">
            {t('Anzeigen', 'Show them')}
          </TextLink>
        </Hint>
      )}
    </Stack>
  );
};

/** The plan, how many members are ready for it, and the button that calls it off. */
const Plan = ({ state, planned }: { state: CompanySignInState; planned: { demand: Strict; from: string } }) => {
  const confirm = useConfirm();
  return (
    <Notice
      tone="info"
      title={t(`Geplant: ${demandNames()[planned.demand]}`, `Scheduled: ${demandNames()[planned.demand]}`)}
      action={{
        label: t('Aufheben …', 'Call off …'),
        onClick: () =>
          confirm({
            title: t('Geplante Anmelderichtlinie aufheben?', 'Call off the scheduled sign-in policy?'),
            consequences: t(
              'Mitglieder können sich weiterhin anmelden wie bisher. Der Hinweis in der App verschwindet. Mitglieder, die per E-Mail informiert wurden und noch nicht bereit sind, erhalten eine E-Mail, dass nichts mehr zu tun ist, höchstens eine am Tag.',
              'Members can keep signing in as they do now. The notice in the app disappears. Members who were informed by email and are not ready yet get an email that there is nothing left to do, at most one a day.',
            ),
            action: t('Aufheben', 'Call off'),
            harmless: true,
            act: () => client.app.companySignIn.demand.mutate({ demand: state.demand }),
            done: t('Planung aufgehoben.', 'Policy called off.'),
          }),
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('Gilt ab ', 'Takes effect on ')}
          <MinuteTime at={planned.from} />.
        </Text>
        <Readiness state={state} demand={planned.demand} />
      </Stack>
    </Notice>
  );
};

export const SignInPolicy = () => {
  const query = useQuery(app.companySignIn.state.queryOptions({}));
  if (query.data) return <RequiredSignIn state={query.data} />;
  return (
    <SectionPanel section="required-sign-in">
      <Pending query={query} height={300} />
    </SectionPanel>
  );
};

/** The sign-in policies. A policy that can't be chosen yet says what is missing for that. */
const Choices = ({ state }: { state: CompanySignInState }) => {
  const { me, team } = useSignedIn();
  const mayChoose = demandsFor(state);
  return (
    <>
      <Radio value="none" label={demandNames().none} />
      <Choice
        value="second_factor"
        disabled={!mayChoose.second_factor}
        way={
          me.two_factor ? (
            <Hint size="xs">
              {t(
                'Erst wählbar, wenn Sie sich selbst so anmelden: mit Ihrem Code oder Passkey.',
                'Available once you sign in this way yourself: with your code or passkey.',
              )}
            </Hint>
          ) : (
            <Own text={t('Richten Sie sie zuerst für Ihr eigenes Konto ein.', 'Set it up for your own account first.')}>
              <Button size="compact-sm" component={Link} to="/account">
                {t('Einrichten', 'Set up')}
              </Button>
            </Own>
          )
        }
      />
      <Choice
        value="company"
        disabled={!mayChoose.company}
        way={
          isUsable(state) ? (
            <Own text={t('Erst wählbar, wenn Sie sich selbst so anmelden.', 'Available once you use it yourself.')}>
              <CompanyButton
                size="compact-sm"
                start={() => startFor(me.email, team.tenant_id, addressOf('required-sign-in'))}
              >
                {t('So anmelden', 'Sign in with it')}
              </CompanyButton>
            </Own>
          ) : (
            <Own text={t('Das Firmenkonto ist noch nicht nutzbar.', 'The company account is not usable yet.')}>
              <Button size="compact-sm" component={Link} to={addressOf('company-account')}>
                {t('Einrichten', 'Set up')}
              </Button>
            </Own>
          )
        }
      />
    </>
  );
};

/** How members must sign in, from when on, and whom this concerns. */
const RequiredSignIn = ({ state }: { state: CompanySignInState }) => {
  const { demand: current, planned } = state;
  const confirm = useConfirm();
  const [chosen, setChosen] = useState<Demand>(current);
  const [start, setStart] = useState<DemandStart>('14');
  const [own, setOwn] = useState(dayOf('14', '') ?? '');
  const mayChoose = demandsFor(state);
  const strict = chosen === 'none' || chosen === current ? undefined : chosen;
  const day = strict && dayOf(start, own);
  const { min, max } = daysToChoose();
  const isDay = day === undefined || (day >= min && day <= max);
  const send = async () => {
    const from = day === undefined ? {} : { from: startOf(day).toISOString() };
    await client.app.companySignIn.demand.mutate({ demand: chosen, ...from });
    // The plan is now shown above, so its policy is no longer chosen.
    if (day !== undefined) setChosen(current);
  };
  return (
    <SectionPanel
      section="required-sign-in"
      lead={t(
        'Gilt auch für angemeldete Personen und verbundene Assistenten. API-Schlüssel sind nicht betroffen.',
        'Also applies to people who are signed in and to connected assistants. API keys are not affected.',
      )}
    >
      <Stack gap="lg">
        {planned && planned.demand !== 'none' && (
          <Plan state={state} planned={{ demand: planned.demand, from: planned.from }} />
        )}
        {current !== 'none' && <Readiness state={state} demand={current} />}
        <Radio.Group
          label={t('Mitglieder können sich anmelden mit', 'Members can sign in with')}
          value={chosen}
          onChange={(value) => setChosen(value)}
        >
          <Stack gap="sm" mt="xs">
            <Choices state={state} />
          </Stack>
        </Radio.Group>
        {strict && (
          <>
            <Readiness state={state} demand={strict} />
            <Radio.Group label={t('Gilt', 'Takes effect')} value={start} onChange={(value) => setStart(value)}>
              <Stack mt="xs" gap="sm">
                {starts.map((one) => (
                  <Radio key={one} value={one} label={startText(one)} />
                ))}
              </Stack>
            </Radio.Group>
            {start === 'day' && (
              <DateField
                label={t('Ab diesem Tag, 0 Uhr Ihrer Zeitzone', 'From this day, midnight in your time zone')}
                min={min}
                max={max}
                maw={280}
                value={own}
                onChange={setOwn}
              />
            )}
          </>
        )}
        <Group>
          <Button
            variant="filled"
            disabled={chosen === current || !mayChoose[chosen] || !isDay}
            onClick={() => confirm({ ...demandQuestion(state, { demand: chosen, day }), act: send })}
          >
            {t('Weiter …', 'Continue …')}
          </Button>
        </Group>
      </Stack>
    </SectionPanel>
  );
};

const Own = ({ text, children }: { text: string; children: ReactNode }) => (
  <Group gap="sm">
    <Hint size="xs">{text}</Hint>
    {children}
  </Group>
);

/** A policy. While it can't be chosen, `way` is shown below it: the missing step. */
const Choice = ({ value, disabled, way }: { value: Strict; disabled: boolean; way: ReactNode }) => (
  <Stack gap={4}>
    <Radio value={value} disabled={disabled} label={demandNames()[value]} />
    {disabled && <div style={{ paddingInlineStart: 32 }}>{way}</div>}
  </Stack>
);
