// Where something that a search found is shown.
import { withNamespace } from './addresses';
import { jobsAddress } from './filters';
import { workerAddress } from './why';

export interface Found {
  kind: string;
  namespace?: string;
  id: string;
  title?: string;
  state?: string;
}

export function foundAddress({ kind, namespace, id }: Found): string {
  const name = encodeURIComponent(id);
  switch (kind) {
    case 'run':
      return `/workflows/${name}`;
    case 'agent_run':
      return withNamespace(`/agent-runs/${name}`, namespace);
    case 'worker':
      return workerAddress(id, namespace);
    case 'queue':
      return jobsAddress({ queue: id });
    case 'schedule':
    case 'session':
    case 'plan':
    case 'action':
    case 'package':
      return withNamespace(`/${kind}s/${name}`, namespace);
    case 'agent':
      return '/agents';
    case 'namespace':
      return '/queues';
    default:
      return `/jobs/${name}`;
  }
}
