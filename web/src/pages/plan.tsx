// One plan: its text as submitted, and the actions that ran it.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api/client';
import { ask, type Action } from '../data/actions';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { typedJson } from '../data/run_actions';
import { Problem } from '../api/problem';
import { Card, Facts, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { count, plural } from '../rules/numbers';
import { visible } from '../rules/text';
import { ActionTable } from './action_table';
import { Value } from './job';

export function PlanPage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const plan = useQuery(`plan ${namespace} ${id}`, (signal) => answer(api.GET('/api/v1/plans/{id}', { params: { path: { id }, query: { namespace } }, signal })));
  const actions = useQuery(`actions of ${namespace} ${id}`, (signal) => answer(api.GET('/api/v1/actions', { params: { query: { namespace, plan: id, limit: 50 } }, signal })), { everyMs: 3000 });
  return (
    <Page
      title={visible(id)}
      above={{ title: 'Plans', href: '/plans' }}
      sub={plan.data?.description && visible(plan.data.description)}
      actions={
        isOperator.value && (
          <>
            <button type="button" class="primary" onClick={() => ask(runPlan(id, namespace, actions.refresh))}>
              Run over inputs
            </button>
            <button type="button" class="danger" onClick={() => ask(forgetPlan(id, namespace))}>
              Delete
            </button>
          </>
        )
      }
    >
      <div class="grid-main">
        <div class="stack">
          <Card title="Actions">
            <Shown query={actions}>{(data) => (data.actions?.length ? <ActionTable actions={data.actions} /> : <Empty title="No action has run it" />)}</Shown>
          </Card>
          <Card title="Text">
            <Shown query={plan}>{(data) => <Value value={data.document} label="Plan" />}</Shown>
          </Card>
          <CommandLine command={line(['plan', 'get', id], { namespace })} />
        </div>
        <Card title="Facts">
          <Shown query={plan}>
            {(data) => (
              <div class="body">
                <Facts
                  facts={[
                    ['Needs', <Tags names={data.needs} />],
                    ['Actions', count(data.actions)],
                    ['Jobs', count(data.jobs)],
                    ['Made', <When at={data.created_at} />],
                    ['Last used', <When at={data.last_used_at} empty="never" />],
                  ]}
                />
              </div>
            )}
          </Shown>
        </Card>
      </div>
    </Page>
  );
}

function runPlan(plan: string, namespace: string, done: () => void): Action {
  return {
    title: `Run plan ${plan}`,
    verb: 'Run',
    text: 'One job for each input, all made in one commit.',
    fields: [{ name: 'inputs', label: 'Inputs', kind: 'json', required: true, placeholder: '[{"path": "a.txt"}, {"path": "b.txt"}]', help: 'A JSON array; each element is the input of one job.' }],
    command: () => line(['action', 'submit'], { plan, inputs: 'inputs.json', namespace }),
    run: async ({ inputs }) => {
      const values = typedJson(inputs, 'the list of inputs');
      if (!Array.isArray(values)) throw new Problem('invalid_argument', 400, 'the inputs are no JSON array');
      const action = await answer(api.POST('/api/v1/actions', { body: { namespace, plan, inputs: values as never } }));
      return { text: `Action over ${plural(values.length, 'input')} is made`, href: withNamespace(`/actions/${action.id}`, namespace) };
    },
    done,
  };
}

function forgetPlan(id: string, namespace: string): Action {
  return {
    title: `Delete plan ${id}`,
    verb: 'Delete plan',
    isDangerous: true,
    text: 'Refused while an unfinished job needs it.',
    command: () => line(['plan', 'delete', id], { namespace }),
    run: async () => {
      await answer(api.DELETE('/api/v1/plans/{id}', { params: { path: { id }, query: { namespace } } }));
      return { text: `Plan ${id} is deleted`, goTo: '/plans' };
    },
  };
}
