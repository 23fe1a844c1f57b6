// Where something that a search found is shown.
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
      return `/agent-runs/${name}`;
    case 'worker':
      return workerAddress(id, namespace);
    case 'queue':
      return jobsAddress({ queue: id });
    case 'schedule':
    case 'session':
    case 'plan':
    case 'action':
    case 'agent':
      return `/${kind}s/${name}${namespace && namespace !== 'default' ? `?namespace=${encodeURIComponent(namespace)}` : ''}`;
    case 'namespace':
      return '/queues';
    default:
      return `/jobs/${name}`;
  }
}
