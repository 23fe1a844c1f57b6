// The packages of AstraFlow's workers, and how many workers differ from what is wanted.
import { answer, api } from '../api/client';
import { ofEach } from '../data/every_namespace';
import { namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { LeftOut, Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { byName } from '../rules/namespaces';
import { count } from '../rules/numbers';
import { clip, visible } from '../rules/text';

export function Packages() {
  const packages = useQuery(`packages ${namespace.value}`, async (signal) => {
    const lists = await ofEach(signal, async (name) => {
      const list = await answer(api.GET('/api/v1/packages', { params: { query: { namespace: name, limit: 200 } }, signal }));
      return list.packages.map((one) => ({ ...one, namespace: name }));
    });
    return { packages: byName(lists, (one) => one.name) };
  });
  return (
    <Page title="Packages">
      <Card>
        <Shown query={packages}>
          {(data) =>
            data.packages.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Packages">
                <table>
                  <thead>
                    <tr>
                      <th>Package</th>
                      <th>What it is</th>
                      <th>Latest</th>
                      <th class="number">Versions</th>
                      <th class="number">Workers</th>
                      <th class="number">Drift</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.packages.map((one) => (
                      <tr key={`${one.namespace}/${one.name}`}>
                        <td class="strong">
                          <a href={withNamespace(`/packages/${encodeURIComponent(one.name)}`, one.namespace)}>{visible(one.name)}</a> <Namespace name={one.namespace} />
                        </td>
                        <td class="soft">{clip(one.description ?? '', 100)}</td>
                        <td>{one.latest_version}</td>
                        <td class="number">{one.versions.length}</td>
                        <td class="number">{count(one.workers)}</td>
                        <td class={`number ${one.drift ? 'warn' : ''}`}>{count(one.drift)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No packages" command="muster package list">
                Workers of AstraFlow register the packages they have.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <LeftOut />
      <CommandLine command={line(['package', 'list'], { namespace: namespace.value })} />
    </Page>
  );
}
