// Actions as rows, for the list of all and for those of one plan.
import type { Schemas } from '../api/client';
import { Namespace } from '../parts/links';
import { State } from '../parts/state';
import { When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { count, percent } from '../rules/numbers';
import { shortId } from '../rules/text';

type Action = Schemas['Action'];

export function doneOf(action: Action): number {
  const { completed = 0, failed = 0, dead = 0, cancelled = 0 } = action.counts ?? {};
  return completed + failed + dead + cancelled;
}

export function ActionTable({ actions }: { actions: Action[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Actions">
      <table>
        <thead>
          <tr>
            <th>Action</th>
            <th>Plan</th>
            <th>State</th>
            <th>Progress</th>
            <th class="number">Jobs</th>
            <th class="number">Failed</th>
            <th>Made</th>
          </tr>
        </thead>
        <tbody>
          {actions.map((action) => {
            const share = action.jobs ? doneOf(action) / action.jobs : 0;
            const failed = (action.counts?.failed ?? 0) + (action.counts?.dead ?? 0);
            return (
              <tr key={`${action.namespace}/${action.id}`}>
                <td>
                  <a class="mono" href={withNamespace(`/actions/${encodeURIComponent(action.id!)}`, action.namespace)} title={action.id}>
                    {shortId(action.id!)}
                  </a>{' '}
                  <Namespace name={action.namespace} />
                </td>
                <td>
                  <a href={withNamespace(`/plans/${encodeURIComponent(action.plan!)}`, action.namespace)}>{action.plan}</a>
                </td>
                <td>
                  <State state={action.state!} />
                </td>
                <td>
                  <span class="load">
                    <span class="bar">
                      <i style={{ width: `${share * 100}%` }} />
                    </span>
                    {percent(share)}
                  </span>
                </td>
                <td class="number">{count(action.jobs)}</td>
                <td class={`number ${failed ? 'bad' : ''}`}>{count(failed)}</td>
                <td>
                  <When at={action.created_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
