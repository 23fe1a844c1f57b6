// The runs of workflows, with the filters of jobs.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { useJobList } from '../data/job_list';
import { namespace } from '../data/namespace';
import { startRun } from '../data/run_actions';
import { CommandLine } from '../parts/copy';
import { JobRows } from '../parts/job_rows';
import { Empty, Skeleton, Trouble } from '../parts/loading';
import { Page } from '../parts/page';
import { rowCount } from '../rules/cursor_list';
import { addressOfFilter, filterOfAddress, flagsOfFilter, isNarrowed, type JobFilter } from '../rules/filters';
import { count, plural } from '../rules/numbers';
import { Filters } from './job_filters';

export function Workflows() {
  const { url, query, route } = useLocation();
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  const filter: JobFilter = { ...filterOfAddress(search), ...(namespace.value && { namespace: namespace.value }) };
  const runs = useJobList(filter, 'runs');
  const nobody = useSignal<ReadonlySet<string>>(new Set());
  const list = runs.list.value;
  const total = list ? rowCount(list) : 0;
  useEffect(() => {
    if (query.start && isOperator.value) ask(startRun(namespace.value || 'default', runs.refresh));
  }, [query.start]);
  const narrow = (next: JobFilter) => {
    const words = addressOfFilter(next);
    route(words ? `/workflows?${words}` : '/workflows', true);
  };
  return (
    <Page
      isFull
      title="Workflows"
      sub={list && (list.next ? `${count(total)}+ runs` : plural(total, 'run'))}
      actions={
        isOperator.value && (
          <button type="button" class="primary" onClick={() => ask(startRun(namespace.value || 'default', runs.refresh, filter.type))}>
            Start a workflow
          </button>
        )
      }
    >
      <Filters filter={filter} change={narrow} />
      <section class="card jobs">
        {runs.problem.value && !runs.problem.value.isUnreachable && <Trouble problem={runs.problem.value} retry={runs.reload} />}
        {!list ? (
          !runs.problem.value && <Skeleton rows={12} />
        ) : total === 0 ? (
          isNarrowed(filter) ? (
            <Empty title="No run matches">
              Loosen the filter, or <a href="/workflows">show every run</a>.
            </Empty>
          ) : (
            <Empty title="No workflow has been started" command={`muster workflow start --type order --input '{"order":17}'`}>
              A run remembers its steps, so it goes on after a crash where it was.
            </Empty>
          )
        ) : (
          <JobRows jobs={runs} selected={nobody} canSelect={false} hrefOf={(run) => `/workflows/${run.id}`} label="Runs" />
        )}
      </section>
      <CommandLine command={`muster workflow list ${flagsOfFilter(filter)}`.trim()} />
    </Page>
  );
}
