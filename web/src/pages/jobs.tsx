// Every job, narrowed by filters that are the page's address, with actions on those selected or on all that match.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { cancelJobs, countMatching, onAllThatMatch, retryJobs } from '../data/job_actions';
import { useJobList } from '../data/job_list';
import { namespace } from '../data/namespace';
import { available } from '../data/routes';
import { CommandLine } from '../parts/copy';
import { JobRows } from '../parts/job_rows';
import { Empty, Skeleton, Trouble } from '../parts/loading';
import { Page } from '../parts/page';
import { rowCount } from '../rules/cursor_list';
import { addressOfFilter, filterOfAddress, flagsOfFilter, isNarrowed, type JobFilter } from '../rules/filters';
import { count, plural } from '../rules/numbers';
import { Filters } from './job_filters';

export function Jobs() {
  const { url, route } = useLocation();
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  const filter: JobFilter = { ...filterOfAddress(search), ...(namespace.value && { namespace: namespace.value }) };
  const jobs = useJobList(filter, 'jobs');
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const list = jobs.list.value;
  const total = list ? rowCount(list) : 0;
  const narrow = (next: JobFilter) => {
    const words = addressOfFilter(next);
    route(words ? `/jobs?${words}` : '/jobs', true);
  };
  const command = `muster job list ${flagsOfFilter(filter)}`.trim();
  return (
    <Page isFull title="Jobs" sub={list && `${count(total)}${list.next ? '+' : ''} ${isNarrowed(filter) ? 'match' : 'shown'}`}>
      <Filters filter={filter} change={narrow} />
      <section class="card jobs">
        {jobs.problem.value && !jobs.problem.value.isUnreachable && <Trouble problem={jobs.problem.value} retry={jobs.reload} />}
        {isOperator.value && (selected.value.size > 0 || (isNarrowed(filter) && total > 0 && available.value.has('act'))) && (
          <Selection filter={filter} ids={[...selected.value]} clear={() => (selected.value = new Set())} done={jobs.refresh} />
        )}
        {!list ? (
          !jobs.problem.value && <Skeleton rows={12} />
        ) : total === 0 ? (
          <NoJobs filter={filter} />
        ) : (
          <JobRows jobs={jobs} selected={selected} canSelect={isOperator.value} hrefOf={(job) => (job.external_id !== undefined || job.steps ? `/workflows/${job.id}` : `/jobs/${job.id}`)} label="Jobs" />
        )}
      </section>
      <CommandLine command={command} />
    </Page>
  );
}

function NoJobs({ filter }: { filter: JobFilter }) {
  return isNarrowed(filter) ? (
    <Empty title="No job matches">
      Loosen the filter, or <a href="/jobs">show every job</a>.
    </Empty>
  ) : (
    <Empty title="No jobs yet" command={`muster job submit --type hello --payload '{"to":"world"}'`}>
      Submit one from the command line, or from a program over any of the four wires.
    </Empty>
  );
}

interface SelectionProps {
  filter: JobFilter;
  ids: string[];
  clear: () => void;
  done: () => void;
}

function Selection({ filter, ids, clear, done }: SelectionProps) {
  const [problem, setProblem] = useState<Problem>();
  const finished = () => {
    clear();
    done();
  };
  const onAll = async (action: 'cancel' | 'retry') => {
    try {
      const { matched, isMore } = await countMatching(action, filter);
      setProblem(undefined);
      ask(onAllThatMatch(action, filter, matched, isMore, finished));
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <div class="selection">
      {ids.length > 0 ? (
        <>
          <strong>{plural(ids.length, 'job')} selected</strong>
          <button type="button" class="small" onClick={() => ask(retryJobs(ids, finished))}>
            Retry
          </button>
          <button type="button" class="small danger" onClick={() => ask(cancelJobs(ids, finished))}>
            Cancel
          </button>
          <button type="button" class="small quiet" onClick={clear}>
            Clear
          </button>
        </>
      ) : (
        <>
          <span class="soft">All that match:</span>
          <button type="button" class="small" onClick={() => void onAll('retry')}>
            Retry …
          </button>
          <button type="button" class="small danger" onClick={() => void onAll('cancel')}>
            Cancel …
          </button>
        </>
      )}
      {problem && <span class="bad">{problem.detail}</span>}
    </div>
  );
}

