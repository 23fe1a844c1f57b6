// The packages of AstraFlow's workers, and how many workers differ from what is wanted.
import { answer, api } from '../api/client';
import { namespace, namespaceQuery } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { count } from '../rules/numbers';
import { clip, visible } from '../rules/text';
import { withNamespace } from './plans';

export function Packages() {
  const packages = useQuery(`packages ${namespace.value}`, (signal) => answer(api.GET('/api/v1/packages', { params: { query: { ...namespaceQuery(), limit: 200 } }, signal })));
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
                      <tr key={one.name}>
                        <td class="strong">
                          <a href={withNamespace(`/packages/${encodeURIComponent(one.name)}`, namespace.value)}>{visible(one.name)}</a>
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
      <CommandLine command="muster package list" />
    </Page>
  );
}
