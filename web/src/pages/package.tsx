// One package: its versions, who has it, who shall have it.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask, type Action } from '../data/actions';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { Card, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { line } from '../rules/cli';
import { count, plural } from '../rules/numbers';
import { visible } from '../rules/text';
import { Value } from './job';

export function PackagePage() {
  const name = useRoute().params.name!;
  const namespace = useLocation().query.namespace ?? 'default';
  const found = useQuery(`package ${namespace} ${name}`, (signal) => answer(api.GET('/api/v1/packages/{name}', { params: { path: { name }, query: { namespace } }, signal })));
  return (
    <Page
      title={visible(name)}
      above={{ title: 'Packages', href: '/packages' }}
      sub={found.data?.description && visible(found.data.description)}
      actions={
        isOperator.value && (
          <>
            <button type="button" class="primary" onClick={() => ask(install(name, namespace, found.data?.latest_version, found.refresh))}>
              Install
            </button>
            <button type="button" class="danger" onClick={() => ask(uninstall(name, namespace, found.refresh))}>
              Uninstall
            </button>
          </>
        )
      }
    >
      <Shown query={found}>
        {(data) => (
          <>
            <Card title="Versions">
              <div class="scroll" tabIndex={0} role="region" aria-label="Versions">
                <table>
                  <thead>
                    <tr>
                      <th>Version</th>
                      <th>Nodes</th>
                      <th class="number">Installed</th>
                      <th class="number">Missing</th>
                      <th class="number">Failed</th>
                      <th>First seen</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.versions.map((version) => (
                      <tr key={version.version}>
                        <td class="strong">{version.version}</td>
                        <td>
                          <Tags names={version.nodes} />
                        </td>
                        <td class="number">{count(version.installed)}</td>
                        <td class="number">{count(version.missing)}</td>
                        <td class={`number ${version.failed ? 'bad' : ''}`}>{count(version.failed)}</td>
                        <td>
                          <When at={version.seen_at} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </Card>
            <Card title="Workers" end={data.drift ? <span class="warn">drift on {plural(data.drift, 'worker')}</span> : 'as wanted'}>
              {data.workers.length ? (
                <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
                  <table>
                    <tbody>
                      {data.workers.map((at) => (
                        <tr key={at.worker}>
                          <td>
                            <WorkerLink id={at.worker} namespace={namespace} />
                          </td>
                          <td>{at.has.map((one) => `${one.version} ${one.status}`).join(', ') || 'nothing'}</td>
                          <td class="soft">{at.wanted ? `shall ${at.wanted} ${at.wanted_version ?? ''}` : ''}</td>
                          <td>{at.drift && <span class="tag warn">drift</span>}</td>
                          <td>{at.operation && <OperationWords operation={at.operation} />}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              ) : (
                <Empty title="No worker has it" />
              )}
            </Card>
            {data.manifest && (
              <Card title={`Manifest of ${data.manifest_version}`}>
                <Value value={data.manifest} label="Manifest" />
              </Card>
            )}
          </>
        )}
      </Shown>
      <CommandLine command={line(['package', 'get', name], { namespace })} />
    </Page>
  );
}

function OperationWords({ operation }: { operation: Schemas['PackageOperation'] }) {
  if (!operation.failed) return <span class="soft">sent, to be done <When at={operation.due_at} /></span>;
  return (
    <span class="bad">
      {visible(`failed ${plural(operation.attempts, 'time')}: ${operation.message ?? ''}`)}, again <When at={operation.due_at} />
    </span>
  );
}

const WHERE = { name: 'worker', label: 'Worker', placeholder: 'every worker', help: 'Empty: every worker, also those that come later.' };

function install(name: string, namespace: string, latest: string | undefined, done: () => void): Action {
  return {
    title: `Install ${name}`,
    verb: 'Want it installed',
    fields: [{ name: 'version', label: 'Version', required: true, value: latest ?? '' }, WHERE],
    command: ({ version, worker }) => line(['package', 'install', name, version || 'VERSION'], { worker, all: !worker, namespace }),
    run: async ({ version, worker }) => {
      const wish = await answer(api.POST('/api/v1/packages/{name}/install', { params: { path: { name } }, body: { namespace, version: version!, ...(worker ? { worker } : { all: true }) } }));
      return { text: `${name} ${version} is wanted on ${plural(wish.workers, 'worker')}` };
    },
    done,
  };
}

function uninstall(name: string, namespace: string, done: () => void): Action {
  return {
    title: `Uninstall ${name}`,
    verb: 'Want it gone',
    isDangerous: true,
    fields: [{ name: 'version', label: 'Version', placeholder: 'every version' }, WHERE],
    command: ({ version, worker }) => line(['package', 'uninstall', name, ...(version ? [version] : [])], { worker, all: !worker, namespace }),
    run: async ({ version, worker }) => {
      const wish = await answer(api.POST('/api/v1/packages/{name}/uninstall', { params: { path: { name } }, body: { namespace, ...(version && { version }), ...(worker ? { worker } : { all: true }) } }));
      return { text: `${name} is wanted gone from ${plural(wish.workers, 'worker')}` };
    },
    done,
  };
}
