// The plans, and the actions that run them over many inputs.
import { answer, api } from '../api/client';
import { ofEach } from '../data/every_namespace';
import { namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { LeftOut, Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { newestFirst } from '../rules/namespaces';
import { count, sum } from '../rules/numbers';
import { clip } from '../rules/text';
import { ActionTable } from './action_table';

export function Plans() {
  const scope = namespace.value;
  const plans = useQuery(`plans ${scope}`, async (signal) => {
    const lists = await ofEach(signal, (name) => answer(api.GET('/api/v1/plans', { params: { query: { namespace: name, limit: 100 } }, signal })));
    return { plans: lists.flatMap((list) => list.plans ?? []), total: sum(lists.map((list) => list.total ?? 0)) };
  });
  const actions = useQuery(
    `actions ${scope}`,
    async (signal) => {
      const lists = await ofEach(signal, (name) => answer(api.GET('/api/v1/actions', { params: { query: { namespace: name, limit: 50 } }, signal })));
      return { actions: newestFirst(lists.map((list) => list.actions ?? []), (one) => one.created_at), total: sum(lists.map((list) => list.total ?? 0)) };
    },
    { everyMs: 3000 },
  );
  return (
    <Page title="Plans and actions">
      <Card title="Actions" end={actions.data && `${count(actions.data.total)} in all`}>
        <Shown query={actions}>
          {(data) =>
            data.actions.length ? (
              <ActionTable actions={data.actions} />
            ) : (
              <Empty title="No action yet" command="muster action submit --plan PLAN --inputs inputs.json">
                An action runs one plan over many inputs, one job for each.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <Card title="Plans" end={plans.data && `${count(plans.data.total)} in all`}>
        <Shown query={plans}>
          {(data) =>
            data.plans.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Plans">
                <table>
                  <thead>
                    <tr>
                      <th>Plan</th>
                      <th>What it does</th>
                      <th class="number">Tasks</th>
                      <th>Needs</th>
                      <th class="number">Actions</th>
                      <th class="number">Jobs</th>
                      <th>Last used</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.plans.map((plan) => (
                      <tr key={`${plan.namespace}/${plan.id}`}>
                        <td class="strong">
                          <a href={withNamespace(`/plans/${encodeURIComponent(plan.id!)}`, plan.namespace)}>{plan.id}</a> <Namespace name={plan.namespace} />
                        </td>
                        <td class="soft">{clip(plan.description ?? '', 100)}</td>
                        <td class="number">{count(plan.tasks as number | undefined)}</td>
                        <td>
                          <Tags names={plan.needs} />
                        </td>
                        <td class="number">{count(plan.actions)}</td>
                        <td class="number">{count(plan.jobs)}</td>
                        <td>
                          <When at={plan.last_used_at} empty="never" />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No plans yet" command="muster plan submit plan.json">
                A plan is an ordered list of tool calls, kept as a template.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <LeftOut />
      <CommandLine command="muster action list" />
    </Page>
  );
}
