// The server itself: what it is, whether it is well, how it is configured (secrets are not shown) and where its bounds are.
import { useEffect, useState } from 'preact/hooks';
import { answer, api } from '../api/client';
import { ask, type Action } from '../data/actions';
import { isOperator } from '../data/identity';
import { loaded } from '../data/missing_file';
import { useQuery } from '../data/query';
import { available } from '../data/routes';
import { Card, Facts } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Shown, Skeleton } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Tabs } from '../parts/tabs';
import { Since } from '../parts/when';
import { line } from '../rules/cli';
import { limitsOf, type Limit } from '../rules/limits';
import { bytes, count } from '../rules/numbers';
import { duration } from '../rules/time';

const CHECKS = { name: 'Health checks', content: () => <Checks /> };
const SETTINGS = { name: 'Configuration', content: () => <Settings /> };
const LIMITS = { name: 'Limits', content: () => <LimitTable /> };

export function Server() {
  const server = useQuery('server', (signal) => answer(api.GET('/api/v1/server', { signal })));
  const hasConfig = available.value.has('settings') && isOperator.value;
  return (
    <Page
      title="Server"
      sub={server.data && <State state={server.data.writable ? 'healthy' : 'failure'} />}
      actions={
        isOperator.value &&
        server.data?.store?.kind === 'sqlite' && (
          <button type="button" onClick={() => ask(backUp())}>
            Back up
          </button>
        )
      }
    >
      <Card title="What it is">
        <Shown query={server}>
          {(data) => (
            <div class="body">
              <Facts
                facts={[
                  ['Version', data.version],
                  ['Up', <Since at={data.started_at} />],
                  ['Writes', data.writable ? 'yes' : <span class="bad">no: {data.reason}</span>],
                  ['Store', data.store?.kind],
                  ['At', data.store?.location && <span class="mono">{data.store.location}</span>],
                  ['Schema', data.store?.schema_version !== undefined && String(data.store.schema_version)],
                  ['Size', bytes(data.store?.bytes)],
                  ['Jobs', `${count(data.store?.jobs_live)} unfinished, ${count(data.store?.jobs_finished)} finished`],
                  ['Commits', count(data.store?.commits)],
                  ['Writes a commit', data.store?.group_size_mean?.toFixed(1)],
                  ...Object.entries(data.listeners ?? {}).map(([name, address]): [string, preact.ComponentChildren] => [name, <span class="mono">{String(address)}</span>]),
                ]}
              />
            </div>
          )}
        </Shown>
      </Card>
      <Card>
        <Tabs label="About the server" tabs={hasConfig ? [CHECKS, SETTINGS, LIMITS] : [LIMITS]} />
      </Card>
      <CommandLine command="muster server --checks" />
    </Page>
  );
}

function Checks() {
  const doctor = useQuery('doctor', (signal) => answer(api.GET('/api/v1/server/doctor', { signal })), { everyMs: 15_000 });
  return (
    <Shown query={doctor}>
      {(data) => (
        <div class="scroll" tabIndex={0} role="region" aria-label="Health checks">
          <table>
            <tbody>
              {data.checks?.map((check) => (
                <tr key={check.name}>
                  <td>
                    <State state={check.state!} />
                  </td>
                  <td class="strong nowrap">{check.name}</td>
                  <td>{check.text}</td>
                  <td class="soft">{check.remedy}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Shown>
  );
}

function Settings() {
  const [typed, setTyped] = useState('');
  const config = useQuery('config', (signal) => answer(api.GET('/api/v1/server/config', { signal })), { everyMs: 60_000 });
  return (
    <Shown query={config}>
      {(data) => (
        <>
          <div class="body">
            <input type="search" aria-label="Find a setting" placeholder="Find a setting" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Configuration">
            <table>
              <thead>
                <tr>
                  <th>Setting</th>
                  <th>Value</th>
                  <th>Default</th>
                  <th>From</th>
                  <th>What it is for</th>
                </tr>
              </thead>
              <tbody>
                {data.settings
                  ?.filter((setting) => `${setting.section}.${setting.key} ${setting.help}`.toLowerCase().includes(typed.toLowerCase()))
                  .map((setting) => (
                    <tr key={`${setting.section}.${setting.key}`}>
                      <td class="mono nowrap">
                        {setting.section}.{setting.key}
                      </td>
                      <td class={`mono wrap-anywhere ${setting.value === setting.default ? '' : 'strong'}`}>{setting.value}</td>
                      <td class="mono faint wrap-anywhere">{setting.default}</td>
                      <td class="faint">{setting.source}</td>
                      <td class="soft">{setting.help}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Shown>
  );
}

const LIMITS_SHOWN = 50;

function LimitTable() {
  const [typed, setTyped] = useState('');
  const [limits, setLimits] = useState<Limit[]>();
  useEffect(() => {
    // The page of the documents this server was built with: large, and rarely looked at.
    void loaded(import('../../../docs/limits.md?raw'), (page) => setLimits(limitsOf(page.default)));
  }, []);
  if (!limits) return <Skeleton rows={8} />;
  const found = limits.filter((limit) => Object.values(limit).join(' ').toLowerCase().includes(typed.toLowerCase()));
  return (
    <>
      <div class="body">
        <input type="search" aria-label="Find a limit" placeholder="Find a limit" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />{' '}
        {found.length > LIMITS_SHOWN && <span class="faint">the first {LIMITS_SHOWN} of {found.length}</span>}
      </div>
      <div class="scroll limits" tabIndex={0} role="region" aria-label="Limits">
        <table>
          <thead>
            <tr>
              <th>Of what</th>
              <th>Bound</th>
              <th>When it is reached</th>
              <th>Name</th>
            </tr>
          </thead>
          <tbody>
            {found
              .slice(0, LIMITS_SHOWN)
              .map((limit) => (
                <tr key={`${limit.part} ${limit.name}`}>
                  <td>{limit.what}</td>
                  <td class="mono nowrap">{limit.value}</td>
                  <td class="soft">{limit.answer}</td>
                  <td class="mono faint">{limit.name}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function backUp(): Action {
  const name = `muster-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.db`;
  return {
    title: 'Back up the store',
    verb: 'Back up',
    text: 'A consistent copy in the server’s folder of backups, made while it works.',
    fields: [{ name: 'name', label: 'File name', value: name, required: true }],
    command: (values) => line(['backup', values.name || 'NAME']),
    run: async (values) => {
      const made = await answer(api.POST('/api/v1/backups', { body: { name: values.name! } }));
      return { text: `${made.path}: ${bytes(made.bytes)} in ${duration(made.took_ms ?? 0)}` };
    },
  };
}
